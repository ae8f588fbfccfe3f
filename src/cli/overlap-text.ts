/** Overlap as text for people. Texts of other people are sanitized, and lines fit the display. */

import { ownWorkName } from '../vocabulary/advice.ts'
import type { OverlapResult as Overlap, OverlapBrief } from '../vocabulary/contract/overlap.ts'
import type { Overlaps } from '../vocabulary/contract/overlap-list.ts'
import { evidenceOf, findingOf, saidIn } from '../vocabulary/finding.ts'
import { isNotableId, pullRequestName } from '../vocabulary/names.ts'
import { FILES_SHOWN_MAX, OTHERS_SHOWN_MAX, TITLE_SHOWN_MAX } from '../vocabulary/shown.ts'
import { count, inQuotes, NOTHING_COMPARED, sanitize } from '../vocabulary/text.ts'
import {
  areasText,
  CONSEQUENCE_WORDS,
  doneSentence,
  linesOf,
  pairLabel,
  placeSentence,
  sameWorkSentence,
} from '../vocabulary/verdict-words.ts'
import type { NamedCollision } from './named-collisions.ts'
import { type Display, LEVEL_STYLES, type Style, table, truncate, wrap } from './terminal.ts'

type Match = Overlap['matches'][number]
type BriefMatch = OverlapBrief['matches'][number]

function quoted(title: string): string {
  return inQuotes(truncate(sanitize(title), TITLE_SHOWN_MAX))
}

/** A name of a file or area: in “…” if it can be a sentence of a stranger. */
function named(text: string): string {
  return /^[!-~]*$/.test(text) ? text : inQuotes(text)
}

interface Paragraph {
  text: string
  indent?: string
  /** Precedes the text in a style of its own. */
  label?: { text: string; style: Style }
  style?: Style
}

function paragraph(display: Display, { text, indent = '', label, style }: Paragraph): string[] {
  const { paint, width } = display
  const start = `${indent}${label?.text ?? ''}`
  const [first = '', ...others] = wrap(`${start}${text}`, { width, indent: `${indent}  ` })
  const isWhole = label !== undefined && first.startsWith(start)
  const painted = isWhole ? `${indent}${paint(label.style, label.text)}${first.slice(start.length)}` : first
  return [painted, ...others].map((line) => (style ? paint(style, line) : line))
}

/** The result of a check: what overlaps, where, and what to do; in one clone also what was not looked at. */
export function overlapLines(overlap: Overlap, display: Display): string[] {
  return [...foundLines(overlap, display), ...cloneLines(overlap, display)]
}

function cloneLines(overlap: Overlap, display: Display): string[] {
  if (overlap.sources === undefined) return []
  return paragraph(display, { text: `Within this clone: ${lookedText(overlap)}.`, style: 'dim' })
}

/** What was looked at in a clone, and what was not. */
export function lookedText({ checked_against, sources = [] }: Overlap): string {
  const { worktrees = 0, sessions = 0, branches = 0, pull_requests = 0 } = checked_against
  const looked = [
    count(worktrees, 'working tree', 'working trees'),
    count(sessions, 'session', 'sessions'),
    count(branches, 'branch', 'branches'),
    count(pull_requests, 'pull request', 'pull requests'),
  ].join(', ')
  return `${looked}. Not looked at: ${sources.map(sourceText).join(', ')}`
}

/** `pull requests (not fetched; deconflict fetch)`. */
function sourceText(source: string): string {
  return sanitize(source).replace(/: (.*)$/, ' ($1)')
}

function foundLines(overlap: Overlap, display: Display): string[] {
  const { activities, notables, complete } = overlap.checked_against
  const compared = `(compared with ${count(activities, 'live activity', 'live activities')} and ${count(notables, 'active notable', 'active notables')}${complete ? '' : '; incomplete'})`
  // The merged pull request that has done the work is among the matches.
  const others = overlap.reuse_opportunities.filter(({ type }) => type !== 'merged')
  const reusable = others.flatMap(({ title, reason, url }) =>
    paragraph(display, {
      indent: '  ',
      label: { text: 'reuse', style: 'green' },
      text: `  ${quoted(title)}: ${sanitize(reason)}${url ? ` ${sanitize(url)}` : ''}`,
    }),
  )
  const action = paragraph(display, {
    label: { text: '→', style: 'bold' },
    text: ` ${sanitize(overlap.recommended_action)}`,
  })
  // In a clone, a line of its own says what was not looked at.
  const isEmpty = overlap.reason.startsWith(NOTHING_COMPARED) || (!complete && overlap.sources === undefined)
  const isNothingCompared = activities === 0 && isEmpty
  if (!overlap.overlap_detected && isNothingCompared)
    return paragraph(display, {
      label: { text: 'Not compared', style: 'yellow' },
      text: `: ${sanitize(overlap.reason)}`,
    })
  if (!overlap.overlap_detected)
    return [
      ...paragraph(display, {
        label: complete ? { text: 'Clear', style: 'green' } : { text: 'Incomplete', style: 'yellow' },
        text: `: no overlap${complete ? '' : ' found so far'} ${compared}`,
      }),
      ...reusable,
      ...(complete ? [] : action),
    ]
  const more = overlap.total_related - overlap.matches.length
  return [
    ...paragraph(display, { label: severityLabel(overlap), text: ` ${compared}` }),
    ...overlap.matches.flatMap((match) => matchLines(match, display)),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...reusable,
    ...action,
  ]
}

function severityLabel({ severity }: Pick<Overlap, 'severity'>): { text: string; style: Style } {
  return { text: `Overlap, ${severity ?? 'low'}`, style: LEVEL_STYLES[severity ?? 'low'] }
}

function matchLabel({ consequence, severity }: Pick<Match, 'consequence' | 'severity'>) {
  const word = consequence === null ? 'notable' : CONSEQUENCE_WORDS[consequence]
  return { text: `${word}, ${severity}`, style: LEVEL_STYLES[severity] }
}

function matchLines(match: Match, display: Display): string[] {
  const { id, title, pr_url, consequence, findings, paths, areas, cut } = match
  const sentenceOf = (path: Match['paths'][number]) =>
    consequence === null ? `applies to ${named(path.example)}` : placeSentence(who, path, named)
  const detail = (text: string, style?: Style) => paragraph(display, { indent: '    ', text, style })
  const more = paths.length - FILES_SHOWN_MAX
  const done = findingOf(findings, 'done')
  const evidence = evidenceOf(findings, sanitize)
  const who = done ? id : (pullRequestName(pr_url) ?? quoted(title))
  return [
    ...paragraph(display, { indent: '  ', label: matchLabel(match), text: `  ${matchName(match)}` }),
    ...(title === id ? [] : detail(id, 'dim')),
    ...(done ? detail(doneSentence(who, linesOf(done), 'your change')) : []),
    ...(evidence ? detail(sameWorkSentence(who, 'yours', evidence)) : []),
    ...saidIn(findings).flatMap(({ finding, words }) => detail(words.sentence(finding, who, named))),
    ...paths.slice(0, FILES_SHOWN_MAX).flatMap((path) => detail(sentenceOf(path))),
    ...(more > 0 ? detail(`and ${count(more, 'more path', 'more paths')}`, 'dim') : []),
    ...(cut ? detail('only the first shared files were compared by lines', 'dim') : []),
    ...(areas.length > 0 ? detail(areasText(areas, named)) : []),
  ]
}

/** The overlap in the response to an update or heartbeat; no lines if there is none. */
export function overlapBriefLines(overlap: OverlapBrief | null, display: Display): string[] {
  if (!overlap?.overlap_detected) return []
  const { matches, related_activity_ids } = overlap
  const more = related_activity_ids.length - matches.filter(({ id }) => !isNotableId(id)).length
  return [
    ...paragraph(display, { label: severityLabel(overlap), text: '' }),
    ...matches.flatMap((match: BriefMatch) => [
      ...paragraph(display, { indent: '  ', label: matchLabel(match), text: `  ${matchName(match)}` }),
      ...[exampleText(match)].filter(Boolean).flatMap((text) => paragraph(display, { indent: '    ', text })),
    ]),
    ...(more > 0 ? [`  and ${count(more, 'more activity', 'more activities')}`] : []),
    `${display.paint('bold', '→')} Run deconflict check for advice.`,
  ]
}

/** `src/retry.ts, same lines`; empty if nothing is known of the place. */
function exampleText(match: BriefMatch): string {
  return [match.example && named(match.example), pairLabel(match, named)].filter(Boolean).join(', ')
}

export function matchText(match: BriefMatch): string {
  const place = exampleText(match)
  return place === '' ? matchName(match) : `${matchName(match)} (${place})`
}

function matchName(match: Omit<BriefMatch, 'example'>): string {
  const { id, title, actor, branch, pr_url, same_author, worktree } = match
  if (title === id || title === pullRequestName(pr_url)) return sanitize(title)
  if (isNotableId(id) || actor === null) return quoted(title)
  const own = ownWorkName({ title: quoted(title), worktree }, inQuotes)
  const work = same_author ? own : `${quoted(title)} by ${inQuotes(actor)}`
  const place = branch === null ? '' : ` on ${inQuotes(branch)}`
  return `${work}${place}${pr_url === null ? '' : ` ${sanitize(pr_url)}`}`
}

const INDENT = '  '

/** The collisions of one activity, indented below it. */
export function collisionLines(collisions: readonly NamedCollision[], { paint, width }: Display): string[] {
  const rows = collisions
    .slice(0, OTHERS_SHOWN_MAX)
    .map(({ severity, consequence, other, where }) => [
      { ...matchLabel({ consequence, severity }), is_whole: true },
      { text: other ? sanitize(other.title) : 'another activity' },
      { text: other ? `by ${sanitize(other.actor)}` : '' },
      { text: where },
    ])
  const more = collisions.length - rows.length
  return [
    ...table(rows, { paint, width: width - INDENT.length }),
    ...(more > 0 ? [paint('dim', `and ${count(more, 'more collision', 'more collisions')}`)] : []),
  ].map((line) => `${INDENT}${line}`)
}

export function incompleteLines({ checked_against }: Overlaps): string[] {
  const { complete, reason } = checked_against
  return complete
    ? []
    : [sanitize(reason ?? 'The comparison is incomplete, so there may be more collisions.')]
}
