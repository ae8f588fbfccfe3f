/** The JSON that is posted: a text for Slack and the facts, or a card for Teams (docs/notifications.md). Pure. */

import { placeOf, takenFinding } from '../../vocabulary/finding.ts'
import type { Consequence } from '../../vocabulary/finding-kinds.ts'
import { pullRequestName } from '../../vocabulary/names.ts'
import { FILES_SHOWN_MAX } from '../../vocabulary/shown.ts'
import { joined, withoutInvisible } from '../../vocabulary/text.ts'
import type { LineRange } from '../../vocabulary/verdict.ts'
import { linesText, sameWorkSentence } from '../../vocabulary/verdict-words.ts'
import type { NotableRow } from '../records/notables/table.ts'
import { quote } from './report-words.ts'
import { branchOf, numberOf } from './sides.ts'
import type { PairRow, PairSequence, Slot } from './table.ts'
import { otherSlot } from './transitions.ts'

/** One side of a pair: a pull request, or a branch without one. */
interface NotifiedSide {
  pull_request: number | null
  branch: string | null
  author: string | null
  url: string | null
}

/** The lines in the order of `sides`. */
interface NotifiedFile {
  path: string
  lines: (LineRange | null)[]
}

export type Notification =
  | {
      /** What the pair leads to. */
      event: Consequence
      text: string
      repository: string
      /** First the side whose event brought the pair about, if it is known. */
      sides: [NotifiedSide, NotifiedSide]
      /** At most 20. */
      files: NotifiedFile[]
    }
  | {
      event: 'notable'
      text: string
      repository: string
      notable: Pick<NotableRow, 'id' | 'title' | 'importance' | 'category' | 'created_by'>
    }

/** `full_name`: `acme/shop`. `web_url`: the URL of the repository on GitHub. */
export function pairNotification(
  row: PairRow,
  { full_name, web_url }: { full_name: string; web_url: string },
): Notification {
  const first = row.cause ?? 'a'
  const second = otherSlot(first)
  const [one, other] = [sideOf(row, first, web_url), sideOf(row, second, web_url)]
  const files = row.files.map(({ path, ...lines }) => ({ path, lines: [lines[first], lines[second]] }))
  const [name, its] = [nameOf(one), nameOf(other)]
  const sentences: Partial<Record<Consequence, string>> = {
    same_work: sameWorkSentence(name, its, []),
    same_number: `${name} and ${its} both take ${joined(row.sequence.map(takenText))}`,
  }
  const sentence = sentences[row.consequence] ?? `${name} conflicts with ${its} in ${filesText(files)}`
  const links = [one, other].flatMap(({ url }) => url ?? [])
  const text = [`${full_name}: ${sentence}.`, ...links].join(' ')
  return withoutInvisible({
    event: row.consequence,
    text: forChat(text),
    repository: full_name,
    sides: [one, other],
    files,
  })
}

/** `page_url`: the URL of the repository's page on this service; null without a public address. */
export function notableNotification(
  row: NotableRow,
  full_name: string,
  page_url: string | null,
): Notification {
  const { id, title, importance, category, created_by } = row
  const by = created_by === null ? '' : ` by ${quote(created_by)}`
  const text = `${full_name}: notable of ${importance} importance${by}: ${quote(title)}`
  return withoutInvisible({
    event: 'notable',
    text: forChat(page_url === null ? text : `${text} ${page_url}`),
    repository: full_name,
    notable: { id, title, importance, category, created_by },
  })
}

function sideOf(row: PairRow, slot: Slot, web_url: string): NotifiedSide {
  const pull_request = numberOf(row[slot])
  return {
    pull_request,
    branch: branchOf(row[slot]),
    author: row.sides[slot].author,
    url: pull_request === null ? null : `${web_url}/pull/${pull_request}`,
  }
}

function nameOf({ pull_request, branch, author }: NotifiedSide): string {
  const name = pull_request === null ? quote(branch ?? '') : `#${pull_request}`
  return author === null ? name : `${name} by ${quote(author)}`
}

/** `the number 0042 in db/migrations`. */
function takenText({ a, b, ...sequence }: PairSequence): string {
  const taken = takenFinding({ ...sequence, yours: a.name, theirs: b.name, next: null })
  return `the ${taken.kind} ${placeOf(taken, quote)}`
}

function filesText(files: NotifiedFile[]): string {
  const named = files.slice(0, FILES_SHOWN_MAX).map(({ path, lines: [range] }) => {
    return range ? `${quote(path)} (${linesText(range)})` : quote(path)
  })
  const rest = files.length - named.length
  return joined(rest > 0 ? [...named, `${rest} more`] : named)
}

/** The hosts of the webhooks of Teams and of its Workflows. */
const TEAMS = /\.(?:webhook\.office|logic\.azure|powerplatform|powerautomate)\.com$/

/** What a receiver at this address takes. */
export function bodyFor(url: string, notification: Notification): object {
  const { hostname, searchParams } = new URL(url)
  return searchParams.get('format') === 'teams' || TEAMS.test(hostname) ? cardOf(notification) : notification
}

/** An Adaptive Card. A text run shows no markup; the links at the end of the text, which are ours, become buttons. */
function cardOf({ text }: Notification): object {
  const [links = ''] = /(?: https:\/\/[^\s`]+)*$/.exec(text) ?? []
  const shown = fromChat(text.slice(0, text.length - links.length))
  const actions = links
    .split(' ')
    .slice(1)
    .map((url) => ({ type: 'Action.OpenUrl', title: pullRequestName(url) ?? 'Open', url: fromChat(url) }))
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: shown }] }],
    actions,
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  }
}

function fromChat(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Slack reads `<!channel>` as a mention, and `<URL|text>` as a link, also in code. */
function forChat(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
