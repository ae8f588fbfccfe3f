/** Markdown for GitHub in which text from users cannot become markup. Pure. */
import { sanitize } from '../../vocabulary/others-text.ts'

const TEXT_MAX = 120
const ITEMS_MAX = 10

/**
 * Text from users, sanitized, as a code span, in which GitHub renders no markup, mention, link or reference. Backticks and
 * line breaks cannot end the span.
 */
export function quote(text: string): string {
  const line = sanitize(text)
  const clipped = [...line].length > TEXT_MAX ? `${[...line].slice(0, TEXT_MAX).join('')}…` : line
  const longest = Math.max(0, ...[...clipped.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 || clipped === '' ? ' ' : ''
  return `${fence}${pad}${clipped}${pad}${fence}`
}

/** A URL that cannot end the link or start markup. Existing percent-encoding stays. */
export function linkable(url: string): string {
  return encodeURI(url).replaceAll('%25', '%')
}

/**
 * The number of a pull request with a link: on github.com through its redirecting host, for which GitHub enters no mention
 * on the other pull request. Other hosts have none.
 */
export function linkedNumber({ number, url }: { number: number; url: string }): string {
  const target = url.startsWith(GITHUB) ? `${REDIRECTING}${url.slice(GITHUB.length)}` : linkable(url)
  return `[\`#${number}\`](${target})`
}

const GITHUB = 'https://github.com/'
const REDIRECTING = 'https://redirect.github.com/'

/** A list with a bold title: at most ten items, and the number of the others. */
export function titledList(title: string, items: string[]): string {
  const more = items.length > ITEMS_MAX ? [`- … and ${items.length - ITEMS_MAX} more`] : []
  return [`**${title}**`, '', ...bullets(items.slice(0, ITEMS_MAX)), ...more].join('\n')
}

/** A list whose items after the first `open` are folded: at most ten, and the number of the others. */
export function foldedList(items: string[], open: number): string {
  const folded = items.slice(open)
  if (folded.length === 0) return bullets(items).join('\n')
  const more = folded.length > ITEMS_MAX ? [`- … and ${folded.length - ITEMS_MAX} more`] : []
  return [
    ...bullets(items.slice(0, open)),
    '',
    `<details><summary>${folded.length} more</summary>`,
    '',
    ...bullets(folded.slice(0, ITEMS_MAX)),
    ...more,
    '',
    '</details>',
  ].join('\n')
}

function bullets(items: string[]): string[] {
  return items.map((item) => `- ${item}`)
}
