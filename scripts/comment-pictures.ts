/** `npm run picture`: takes pictures of the comment, rendered as GitHub does, light, dark and on a phone. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { marked } from 'marked'
import { commentOf } from '../src/server/report/comment.ts'
import type { Report, ReportedActivity, ReportedPath } from '../src/server/report/report.ts'
import { startBrowser } from '../test/support/browser.ts'

const DOCS = fileURLToPath(new URL('../docs', import.meta.url))
const STYLE = readFileSync(fileURLToPath(import.meta.resolve('github-markdown-css')), 'utf8')

function place(example: string, theirs: [number, number], yours: [number, number]): ReportedPath {
  return { example, verdict: 'conflict', confidence: 'proved', your_lines: yours, their_lines: theirs }
}

const RETRY = place('src/checkout/retry.ts', [40, 52], [38, 50])

function other(number: number, title: string, changes: Partial<ReportedActivity>): ReportedActivity {
  return {
    severity: 'high',
    title,
    actor: 'ben',
    branch: 'retries',
    pull_request: { number, url: `https://github.com/acme/shop/pull/${number}` },
    stage: 'ready',
    is_ahead: true,
    areas: [],
    paths: [RETRY],
    duplicate: null,
    sequence: [],
    moved: null,
    proof: null,
    proof_log_url: null,
    ...changes,
  }
}

const BEN = other(123, 'Retry declined payments twice', {})

function report(activities: ReportedActivity[]): Report {
  return {
    severity: activities.length > 0 ? 'high' : null,
    earns_comment: activities.length > 0,
    charge: 'within',
    activities,
    notables: [],
    suppressed: { activities: [], notables: [] },
    merged: [],
    done: null,
    taken: [],
    threshold: { severity: 'medium', is_of_draft: false },
    not_compared: null,
    compared: { activities: 41, notables: 2, expected: 0 },
    is_complete: true,
    stage: 'ready',
    as_of: new Date('2026-11-22T14:05:00Z'),
    page_url: 'https://deconflict.example.com/#/acme/shop?pr=131',
  }
}

const CY = other(118, 'Split the checkout', {
  actor: 'cy',
  paths: [
    RETRY,
    place('src/checkout/card.ts', [7, 19], [7, 7]),
    ...['cart', 'order', 'total'].map((name) => place(`src/checkout/${name}.ts`, [3, 9], [5, 6])),
  ],
})
const DEE = other(129, 'Log each retry', { actor: 'dee', stage: 'draft', is_ahead: false })

/** On the same issue, with other files. */
const EVE = other(141, 'Limit the retries of each order', {
  actor: 'eve',
  paths: [],
  duplicate: { share: 0, added_lines: 0, issue: 7 },
})

type Titled = [title: string, report: Report]
const COMMENTS: Titled[] = [
  ['One other pull request', report([BEN])],
  ['Several', report([BEN, CY, DEE])],
  ['The overlap is gone', report([])],
]
const SAME_ISSUE: Titled[] = [['Another pull request closes the same issue', report([EVE])]]

const PICTURES = [
  { name: 'comment-light', scheme: 'light', width: 820, comments: COMMENTS },
  { name: 'comment-dark', scheme: 'dark', width: 820, comments: COMMENTS },
  { name: 'comment-phone', scheme: 'light', width: 390, comments: COMMENTS },
  { name: 'backlog-comment-light', scheme: 'light', width: 820, comments: SAME_ISSUE },
  { name: 'backlog-comment-dark', scheme: 'dark', width: 820, comments: SAME_ISSUE },
] as const

const sectionOf = ([title, each]: Titled) =>
  `<h4>${title}</h4><div class="comment">${marked.parse(commentOf(each), { async: false })}</div>`
const htmlOf = (
  comments: readonly Titled[],
) => `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>${STYLE}
body { margin: 0; padding: 16px; background: Canvas; color-scheme: light dark }
.comment { padding: 16px; border: 1px solid #8884; border-radius: 6px; margin-bottom: 16px }</style>
<body class="markdown-body">${comments.map(sectionOf).join('')}</body>`

const browser = await startBrowser()
try {
  for (const { name, scheme, width, comments } of PICTURES) {
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 200 } })
    await page.setContent(htmlOf(comments))
    await page.screenshot({ path: `${DOCS}/${name}.png`, fullPage: true })
    await page.close()
  }
} finally {
  await browser.close()
}
