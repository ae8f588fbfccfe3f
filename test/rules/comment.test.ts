/** The text of the comment, parsed as GitHub's Markdown: no text from users becomes markup. */
import { lexer, type Token, walkTokens } from 'marked'
import { describe, expect, test } from 'vitest'
import { checkRunOf, settingsRunOf } from '../../src/server/tell/check-run.ts'
import {
  commentOf,
  farewellComment,
  MARKER,
  MUTE_LABEL,
  mutedComment,
} from '../../src/server/tell/comment.ts'
import type { ReportedActivity, ReportedPath } from '../../src/server/tell/counterparts.ts'
import type { Report, ReportedNotable, SuppressedActivity } from '../../src/server/tell/report.ts'
import type { TakenFinding } from '../../src/vocabulary/finding-kinds.ts'
import type { LineRange } from '../../src/vocabulary/verdict.ts'
import { PULL, place, report, reportedActivity } from '../support/report.ts'

const SHA = 'a'.repeat(40)
const LIKELY: Partial<ReportedPath> = {
  verdict: 'conflict',
  confidence: 'likely',
  your_lines: [38, 50],
  their_lines: [40, 52],
}
/** One other activity, with these differences. */
const one = (changes: Partial<ReportedActivity> = {}): Partial<Report> => ({
  activities: [{ ...reportedActivity, ...changes }],
})
const unshown = { ...reportedActivity, suppression: 'below_threshold' } as const
const notable: ReportedNotable = {
  severity: 'high',
  title: 'Tills are frozen',
  decision_url: 'https://acme.example/d/1',
  where: 'src/**',
}

/** A report in which nothing reaches the threshold. */
const quiet = (changes: Partial<Report> = {}) => report({ severity: null, activities: [], ...changes })
const low: Partial<Report> = {
  suppressed: {
    activities: [{ ...reportedActivity, severity: 'low', suppression: 'below_threshold' }],
    notables: [{ ...notable, severity: 'low', decision_url: null, where: null }],
  },
}

const BELOW = 'Overlap below the threshold'

/** Everything that a reader of the rendered text can see or open, by kind. */
function read(markdown: string) {
  const found = {
    links: [] as string[],
    html: [] as string[],
    code: [] as string[],
    text: '',
    kinds: new Set<string>(),
    cells: [] as number[],
  }
  void walkTokens(lexer(markdown, { gfm: true }), (token: Token) => {
    found.kinds.add(token.type)
    if (token.type === 'link' || token.type === 'image') found.links.push(token.href)
    if (token.type === 'html') found.html.push(token.raw.trim())
    if (token.type === 'codespan') found.code.push(token.text)
    if (token.type === 'text' && !('tokens' in token && token.tokens)) found.text += `${token.text}\n`
    if (token.type === 'table')
      found.cells.push(token.header.length, ...token.rows.map((row: unknown[]) => row.length))
  })
  return found
}

const HOSTILE: [string, string][] = [
  ['a mention', 'EVIL @acme/owners @ada'],
  ['a reference', 'EVIL closes #1, acme/shop#2, GH-3'],
  ['a link', 'EVIL [click](https://evil.example)'],
  ['a bare address', 'EVIL https://evil.example www.evil.example a@evil.example'],
  ['an image', 'EVIL ![x](https://evil.example/pixel.png)'],
  ['HTML', 'EVIL <img src=x onerror=alert(1)><a href="//evil.example">x</a><script>1</script>'],
  ['a comment that hides the rest', 'EVIL <!-- '],
  ['our own marker', `EVIL ${MARKER}`],
  ['the end of details', 'EVIL </details></sub></td></table>'],
  ['one backtick', 'EVIL ` [x](https://evil.example) @ada'],
  ['backticks at both ends', '`EVIL @ada`'],
  ['runs of backticks', 'EVIL ` `` ``` @ada ``` <b> `` `'],
  ['backticks only', '``````'],
  ['a code block', '```\nEVIL\n```\n@ada'],
  ['a bar', 'EVIL | @ada | [x](https://evil.example) |'],
  ['an escaped bar', 'EVIL \\| @ada \\\\| <b> \\\\\\| `|`'],
  ['a bar at the end', 'EVIL \\'],
  ['lines', 'EVIL\n\n# Heading\r\n- item\n\n| a |\n| --- |\n@ada'],
  ['line separators', 'EVIL\u2028@ada\u2029@ben\u0085@cy\u000b@dan'],
  ['the close of a link', 'EVIL ](https://evil.example) )> '],
  ['a link reference', 'EVIL\n\n[a]: https://evil.example\n\n[a]'],
  ['a footnote', 'EVIL [^1]\n\n[^1]: @ada'],
  ['emphasis and entities', 'EVIL **b** _i_ ~~s~~ &lt;b&gt; &#64;ada'],
  ['mathematics', 'EVIL $\\href{https://evil.example}{x}$ $$x$$'],
  ['an emoji name', 'EVIL :tada:'],
  ['something very long', `EVIL ${'@ada `'.repeat(5000)}`],
  ['blanks only', ' \t\n '],
]

// Threat: Markup in comments
describe('markup from users is escaped in the comment and in the check run', () => {
  const ALLOWED_LINKS = new Set(['https://redirect.github.com/acme/shop/pull/3', 'https://acme.example/d/1'])
  const takenBy = (text: string): TakenFinding[] => {
    const names = { directory: text, yours: text, theirs: text }
    return [
      { kind: 'number', number: text, next: text, ...names },
      { kind: 'parent', parent: text, ...names },
    ]
  }
  const several = (text: string) => ({
    activities: [
      {
        ...{ ...unshown, title: text, actor: text, branch: text, pull_request: null, areas: [text] },
        paths: [place(text), place(text, LIKELY)],
        ...{ consequence: 'same_work' as const, findings: [{ kind: 'issue' as const, issue: 7 }] },
      },
      { ...unshown, title: text },
    ],
    notables: [{ ...notable, title: text, where: text }],
  })
  /** The check run contains the text of the comment. */
  const shown = (changes: Partial<Report>) => checkRunOf(SHA, report(changes)).summary
  const settings = (words: string) =>
    settingsRunOf(SHA, [{ line: 3, key: words, message: words }], { is_first: false }).summary
  const places: [string, (text: string) => Partial<Report>][] = [
    ['a title only', (title) => one({ title, branch: null, pull_request: null })],
    [
      'title, actor and branch',
      (text) => one({ title: text, actor: text, branch: text, pull_request: null }),
    ],
    ['an area', (area) => one({ paths: [], areas: [area, area] })],
    ['a path', (path) => one({ paths: [path, 'src/pay.ts', path, path].map((each) => place(each)) })],
    [
      'the names of numbered files',
      (text) => ({
        ...one({ consequence: 'same_number', findings: takenBy(text), fixes: [text] }),
        taken: [{ ...PULL(3), taken: takenBy(text), fixes: [text] }],
      }),
    ],
    ['what is below the threshold', (text) => ({ suppressed: several(text) })],
    ['several at once', several],
  ]

  describe.each([
    ...places.map(([where, changes]) => [where, (text: string) => shown(changes(text))] as const),
    ['an invalid settings file', settings] as const,
  ])('with %s', (_, summary) => {
    test.each(HOSTILE)('of %s', (_, text) => {
      const [hostile, plain] = [read(summary(text)), read(summary('harmless'))]
      // Everything outside of code is the same as for harmless text, so no part of it has escaped.
      expect({ ...hostile, code: hostile.code.length }).toEqual({ ...plain, code: plain.code.length })
      expect(plain.links.every((link) => ALLOWED_LINKS.has(link))).toBe(true)
    })
  })

  test('the number of a pull request elsewhere than on github.com is a link as it is', () => {
    const url = 'https://github.acme.example/acme/shop/pull/3'
    expect(commentOf(report(one({ pull_request: { number: 3, url } })))).toContain(`[\`#3\`](${url})`)
  })

  test('long texts are truncated', () => {
    const activities = Array.from({ length: 200 }, () => ({
      ...reportedActivity,
      title: '`|😀'.repeat(900),
      paths: Array(50).fill(place('x/'.repeat(500), LIKELY)),
    }))
    const notables = Array.from({ length: 200 }, () => ({ ...notable, title: '|`'.repeat(2000) }))
    const comment = commentOf(report({ activities, notables }))
    expect(comment.length).toBeLessThan(20_000)
    expect(comment).toContain('… and 190 more')
    expect(comment).toContain('x/…`:')
    expect(comment.toWellFormed()).toBe(comment)
  })
})

describe('the URL of a decision', () => {
  const linkTo = (decision_url: string) =>
    read(commentOf(report({ activities: [], notables: [{ ...notable, decision_url }] })))

  test.each([
    ['https://acme.example/d/1?x=1&y=2#z'],
    ['https://acme.example/a%20b%2Fc%25'],
    ['https://acme.example/(a)_b*c~d'],
    ['https://github.com/acme/shop/blob/main/issues/7'],
    ['https://GitHub.com/acme/shop/issues/7#x', 'https://redirect.github.com/acme/shop/issues/7#x'],
  ])('%s is linked as it is, unless GitHub would enter a mention there', (url, expected = url) => {
    expect(linkTo(url).links).toEqual([expected])
  })

  test.each([
    'https://acme.example/>) [x](https://evil.example)',
    'https://acme.example/|@ada|',
    'https://acme.example/\u202Egpj.exe',
    'https://acme.example/<!--',
    'https://acme.example/\n\n# EVIL',
  ])('%j is one link to the same host, and nothing else', (url) => {
    const found = linkTo(url)
    const plain = linkTo('https://acme.example/d')
    expect(found.links.map((link) => new URL(link).host)).toEqual(['acme.example'])
    expect(found.links[0]).toMatch(/^[!-~]+$/)
    expect(found.text).toEqual(plain.text)
    expect(found.html).toEqual(plain.html)
    expect(found.code).toEqual(plain.code)
  })
})

describe('the comment', () => {
  const said = (changes: Partial<Report>) => commentOf(report(changes))
  const behind = { ...reportedActivity, is_ahead: false }

  const FOOT =
    'Deconflict advises and never blocks · mute: label `deconflict:mute` or comment `/deconflict mute` · 👍 / 👎 tells us whether this helped'

  test('starts with the hidden marker and explains how to mute it', () => {
    for (const text of [said({}), commentOf(quiet())]) {
      expect(text.startsWith(`${MARKER} -->\n`)).toBe(true)
      expect(text).toContain(`\`${MUTE_LABEL}\``)
    }
    const at = new Date('2026-03-15T12:00:00Z')
    expect(mutedComment(at)).toContain('`/deconflict unmute`')
    expect(farewellComment(at).text).toBe(
      `${MARKER}, as of 2026-03-15T12:00:00.000Z -->\n\nDeconflict is not watching this repository any more (as of 2026-03-15).`,
    )
  })

  /** The paragraphs between the marker and the footer. */
  const body = (changes: Partial<Report>) => said(changes).split('\n\n').slice(1, -1)
  const [three, four] = [reportedActivity, { ...reportedActivity, actor: 'Cy' }]
  const other = { ...four, pull_request: PULL(4) }
  const [THREE, FOUR] = [3, 4].map(
    (each) => `[\`#${each}\`](https://redirect.github.com/acme/shop/pull/${each})`,
  )
  const BEN = `${THREE} \`Retry payments\` (\`Ben\`, ready)`
  const LINK_4 = `${FOUR} \`Retry payments\``
  const unplaced: ReportedActivity = { ...reportedActivity, pull_request: null }
  const declared: ReportedActivity = { ...unplaced, stage: 'declared', is_ahead: false }
  const twin: ReportedActivity = {
    ...{ ...other, consequence: 'same_work' },
    findings: [{ kind: 'duplicate', share: 0.75, added_lines: 12 }],
  }
  const names = { directory: 'db', yours: '7_a.sql', theirs: '7_b.sql' }
  const number = { kind: 'number', number: '7', next: '8', ...names } as const
  const parent = { kind: 'parent', parent: '6', ...names } as const
  const numbered: Partial<ReportedActivity> = {
    consequence: 'same_number',
    findings: [number],
    fixes: ['a', 'b', 'a'],
  }
  const proved = place('a.ts', { ...LIKELY, confidence: 'proved', your_lines: [40, 52] })
  const FIRST = 'It was opened first: agree with `Ben`, or rebase after it merges.'

  test.each<[string, Partial<ReportedActivity>, string]>([
    ['the path if lines were not compared', {}, `${BEN} works on \`src/pay.ts\` too.`],
    [
      'the lines of a conflict, and no title of a newcomer',
      { paths: [proved], title: null, conflicts_with_base: true },
      `${THREE} (\`Ben\`, ready, conflicts with its own base) changes lines 40–52 of \`a.ts\` too.`,
    ],
    [
      'a likely conflict of a branch without a pull request, with its title',
      { ...unplaced, paths: [place('a.ts', LIKELY)] },
      '`Retry payments` on `retries` (`Ben`, ready) changes lines 40–52 of `a.ts` too (yours: lines 38–50), probably in conflict.',
    ],
    ['an area', { paths: [], areas: ['pay', 'cart'] }, `${BEN} works on areas \`pay\` and \`cart\` too.`],
  ])('about one other is one sentence with its advice, which names %s', (_, changes, sentence) => {
    expect(body(one(changes))).toEqual([`**Conflict.** ${sentence} ${FIRST}`])
  })

  test('lists the files of one other, the fourth and further ones folded', () => {
    const paths = [proved, ...[...'bcdefghijklmn'].map((path) => place(path))]
    expect(body(one({ paths }))).toEqual([
      `**Conflict.** ${BEN} overlaps with this pull request in 14 files. ${FIRST}`,
      '- `a.ts`, lines 40–52, the same lines as yours\n- `b`\n- `c`',
      '<details><summary>11 more</summary>',
      `${[...'defghijklm'].map((path) => `- \`${path}\`\n`).join('')}- … and 1 more`,
      '</details>',
    ])
  })

  test('about several begins with the advice, then lists by file who goes first and who goes after', () => {
    const shared = [proved, place('b.ts')]
    const activities = [behind, { ...other, paths: shared }, { ...declared, actor: 'Di', paths: [proved] }]
    expect(body({ activities })).toEqual([
      '**This pull request overlaps with 3 other activities.** `#4` was opened first: agree with `Cy`, or rebase after it merges.',
      '**Goes first**',
      `- \`a.ts\`: ${LINK_4} (\`Cy\`, ready) conflict, lines 40–52, the same lines as yours\n- \`b.ts\`: ${FOUR}`,
      '**Goes after this pull request**',
      `- \`src/pay.ts\`: ${BEN} conflict\n- \`a.ts\`: \`Retry payments\` on \`retries\` (\`Di\`, no pull request yet) conflict, lines 40–52, the same lines as yours`,
    ])
  })

  test('puts two others in one file into one line, and has one for those that share no place', () => {
    const twice = { ...other, ...numbered }
    expect(body({ activities: [{ ...twin, paths: [] }, three, twice] })[2]).toBe(
      `- the same work: ${LINK_4} (\`Cy\`, ready) same work\n- \`src/pay.ts\`: ${BEN} conflict; ${FOUR}\n- \`7\` in \`db\`: ${LINK_4} (\`Cy\`, ready) same number, the same number as yours`,
    )
  })

  test('names a duplicate among several first', () => {
    expect(body({ activities: [{ ...twin, fixes: ['a'] }, three] })[0]).toBe(
      '**This pull request overlaps with 2 other activities.** `#4` seems to do the same as this pull request (9 of 12 added lines are alike). `#4` was opened first: close one of the two, and agree with `Cy` on which.',
    )
  })

  const queued = { ...three, stage: 'queued' } as const
  const waiting = { ...queued, is_ahead: false }
  const later = { ...other, is_ahead: false, fixes: ['a'] }
  const own = { ...three, is_same_author: true }
  test.each<[string, ReportedActivity[], RegExp]>([
    ['what takes the same', [{ ...other, ...numbered }, queued], /take another number\. `a` and `b`\.$/],
    ['the first in the queue', [three, waiting, { ...queued, actor: 'Di' }], /`#3` is in the merge queue/],
    ['the first that is ahead', [behind, unplaced, other], /\*\* `retries` was opened first/],
    ['one by another author', [later, own], /tell `Cy` what will change, or merge soon\.$/],
    ['one of those that it names', [behind, behind, behind, other], /\*\* (?!`#4`)/],
    ['an own one if all are', [{ ...later, is_same_author: true }, own], /merge `#3` first/],
  ])('about several advises about %s', (_, activities, advice) => {
    expect(body({ activities })[0]).toMatch(advice)
  })

  test.each<[string, Partial<Report>, string]>([
    [
      'A merged pull request has most of the lines of this one',
      { done: { ...PULL(4), shared: 11, lines: 12 } },
      `**${FOUR} is merged and has 11 of the 12 lines that this adds.** Compare the two before you go on: the work may be done.`,
    ],
    [
      'A merged pull request takes a number or parent of this pull request',
      { taken: [{ ...PULL(4), taken: [number, parent], fixes: ['a'] }] },
      `**\`7\` in \`db\` is taken on the base branch by ${FOUR} (\`7_b.sql\`); the next free number is \`8\`.** \`7_b.sql\` of ${FOUR} is merged and builds on \`6\` in \`db\` too: change the parent of \`7_a.sql\`. \`a\`.`,
    ],
    [
      '2 notables apply to this pull request',
      { notables: [notable, notable] },
      '**2 notables apply to this pull request**',
    ],
  ])('and the check run say: %s', (title, changes, text) => {
    expect(body({ activities: [], ...changes })[0]).toBe(text)
    expect(checkRunOf(SHA, report({ activities: [], ...changes })).title).toBe(title)
  })

  test('says to rebase over what was merged', () => {
    const merged = [PULL(4), PULL(4)]
    expect(body({ activities: [], merged })).toEqual([`${FOUR} and ${FOUR} were merged: rebase over them.`])
    expect(commentOf(quiet({ merged: [PULL(4)] }))).toBe(
      `${MARKER} -->\n\n${FOUR} was merged: rebase over it.\n\n<sub>${FOOT}</sub>`,
    )
  })

  test('names three others at most, and links to the page for the rest', () => {
    const page_url = 'https://deconflict.example/#/acme/shop?pr=7'
    const text = said({ activities: [three, other, three, other, three], page_url })
    expect(text).toContain(`\n\n… and 2 more ([all](${page_url})).\n\n`)
    expect(text).toContain(`[open the page](${page_url})`)
    expect(said({ activities: [three, other, three, other] })).toContain('… and 1 more.')
  })

  test('lists the notables that apply, after the others', () => {
    expect(body({ notables: [notable] }).slice(1)).toEqual([
      '**1 notable applies to this pull request**',
      '- `Tills are frozen` (high), for `src/**`, [decision](<https://acme.example/d/1>)',
    ])
    const { title } = checkRunOf(SHA, report({ notables: [notable] }))
    expect(title).toBe('This pull request overlaps with 1 other activity; 1 notable applies')
  })

  test('ends with the severity and when it was updated', () => {
    const [first, ...others] = said({ as_of: new Date('2026-02-03T04:05:06Z') }).split('\n\n')
    expect(first).toBe('<!-- deconflict:pull-request, as of 2026-02-03T04:05:06.000Z -->')
    expect(others.at(-1)).toBe(`<sub>Severity: medium · ${FOOT} · updated 2026-02-03 04:05 UTC</sub>`)
  })

  const theirs = { ...unshown, suppression: 'other_side' } as const
  const [NONE, NOT] = ['No overlap any more', 'Not compared']
  test.each<[string, Partial<Report>, string, string]>([
    [
      'nothing overlaps any more, and with what it was compared',
      {},
      NONE,
      'Compared with 3 other live activities and 1 active notable; none overlaps.\n\n',
    ],
    [
      'all other work belongs to its own stack',
      { compared: { activities: 1, notables: 0, expected: 2 } },
      NONE,
      'Compared with 1 other live activity and 0 active notables; none overlaps. 2 activities belong to the same branch or stack.',
    ],
    [
      'the comparison was incomplete',
      { gap: 'There may be more.' },
      'Compared in part',
      'There may be more.',
    ],
    ['… and what it has is below the threshold', { ...low, gap: 'There may be more.' }, BELOW, 'at most. '],
    [
      'the overlap is below the threshold',
      low,
      BELOW,
      '1 other activity overlaps and 1 notable applies, of `low` severity at most. This repository shows `medium` severity and above (`comment.min_severity`).',
    ],
    [
      'it is a draft',
      {
        suppressed: { activities: [], notables: [{ ...notable, severity: 'low' }, notable] },
        threshold: { severity: 'high', is_of_draft: true },
      },
      BELOW,
      '2 notables apply, of `high` severity at most. This is a draft, and drafts show `high` severity and above (`comment.draft_min_severity`)',
    ],
    [
      'it is shown elsewhere',
      { suppressed: { activities: [unshown, theirs, theirs], notables: [] } },
      'Overlap not shown here',
      '3 other activities overlap, of `medium` severity at most. 1 is below the threshold; 2 are shown only to the side that came later.\n\n',
    ],
    ['nothing is tracked', { not_compared: 'not_tracked' }, NOT, '(`track_pull_requests`)'],
    ['its activity has ended', { not_compared: 'not_live' }, NOT, 'is archived, finished or expired'],
    ['it has no scope', { not_compared: 'nothing_given' }, NOT, 'names neither paths nor areas'],
    ['only notables were compared', { ...low, not_compared: 'nothing_given' }, BELOW, '1 notable applies'],
    ['everything is ignored', { not_compared: 'all_ignored' }, NOT, '`ignore_paths`)'],
  ])('and the check run say, if there is no overlap to show, that %s', (_, changes, heading, words) => {
    const text = commentOf(quiet(changes))
    expect(text).toContain(`\n\n**${heading}.** `)
    expect(text).toContain(words)
    expect(text.includes('No overlap')).toBe(heading === NONE)
    const { summary, ...run } = checkRunOf(SHA, quiet(changes))
    const isWhole = changes.gap === undefined && !changes.not_compared
    const [conclusion, title] = [isWhole ? 'success' : 'neutral', heading.replace(' any more', '')]
    expect(run).toMatchObject({ head_sha: SHA, conclusion, title, annotations: [] })
    expect(summary).not.toContain(MARKER)
    expect(summary.includes('There may be more')).toBe(changes.gap !== undefined)
    expect(summary.includes('Other activities were not compared: ')).toBe(changes.not_compared !== undefined)
  })
})

describe('the check run', () => {
  test('says what both have in common if they share no place', () => {
    const alike: SuppressedActivity = {
      ...unshown,
      ...{ paths: [], areas: [], consequence: 'same_work', findings: [{ kind: 'issue', issue: 7 }] },
    }
    const areas = { ...unshown, paths: [], areas: ['pay', 'cart'] }
    const run = checkRunOf(SHA, quiet({ suppressed: { activities: [alike, areas], notables: [] } }))
    expect(run.summary).toContain('(`Ben`, ready): area `pay`; area `cart` (medium, below the threshold)')
    expect(run.summary).toContain(
      '(`Ben`, ready) seems to do the same as this pull request (both close `#7`) (',
    )
  })

  test('names overlaps below the threshold, with or without others above it', () => {
    for (const run of [checkRunOf(SHA, quiet(low)), checkRunOf(SHA, report(low))]) {
      expect(run.summary).toContain(
        '**Not shown in comments**\n\n- [`#3`](https://redirect.github.com/acme/shop/pull/3) `Retry payments` (`Ben`, ready): `src/pay.ts` (low, below the threshold)\n- `Tills are frozen` (low), for the whole repository',
      )
    }
  })

  test('contains the text of the comment and at most 50 annotations on overlapping files', () => {
    const head = { path: 'moved/b.ts', lines: [41, 60] as LineRange }
    const activities = [{ ...reportedActivity, paths: [place('a.ts'), place('b.ts', { ...LIKELY, head })] }]
    const run = checkRunOf(SHA, report({ activities }))
    expect(run.summary).toBe(commentOf(report({ activities })))
    expect(run.annotations).toEqual([
      { path: 'a.ts', lines: null, message: '#3 works on a.ts too: Retry payments, by Ben' },
      {
        path: 'moved/b.ts',
        lines: [41, 60],
        message:
          '#3 changes lines 40–52 of b.ts too (yours: lines 38–50), probably in conflict: Retry payments, by Ben',
      },
    ])
    const many = Array.from({ length: 20 }, () => ({
      ...reportedActivity,
      paths: ['a', 'b', 'c'].map((path) => place(path)),
    }))
    expect(checkRunOf(SHA, report({ activities: many })).annotations).toHaveLength(50)
  })

  test('of an invalid settings file has a line and an annotation for each problem', () => {
    const [line, problem] = [null, { line: 3, key: 'a', message: 'is no list' }]
    const problems = [problem, { line, key: null, message: 'is empty' }, ...Array(60).fill(problem)]
    const path = '.github/deconflict.yml'
    const run = settingsRunOf(SHA, problems, { is_first: true })
    expect(run.title).toBe('The settings file is invalid; nothing is posted until it is valid')
    expect(run.summary).toMatch(`\`${path}\`:\n\n- \`line 3, a\`: \`is no list\`\n- \`is empty\`\n- \`line 3`)
    const annotation = { path, lines: [3, 3], message: 'is no list' }
    expect(run.annotations.slice(0, 2)).toEqual([annotation, { path, lines: null, message: 'is empty' }])
    expect(run).toMatchObject({ head_sha: SHA, conclusion: 'neutral', annotations: { length: 50 } })
    const { title } = settingsRunOf(SHA, problems, { is_first: false })
    expect(title).toBe('The settings file is invalid; the last valid settings stay in force')
  })
})
