/** The prose of a Markdown text, without code and what its readers do not see, and the issues that it closes by GitHub's keywords. Pure. */

import { NUMBER_MAX } from '../../vocabulary/names.ts'

/** The maximum number of characters that are read of one text: more than GitHub accepts. */
const LENGTH_MAX = 100_000

const FENCE = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
const INDENTED = /^(?: {4}| {0,3}\t)/

/**
 * The lines of a text without HTML comments and blocks of code. `code_spans`: whether to keep code within a line. An unclosed
 * comment or fence ends with the text, an unclosed span is text.
 */
export function proseLines(text: string, { code_spans }: { code_spans: 'keep' | 'drop' }): string[] {
  const lines: string[] = []
  let fence: string | null = null
  let isInComment = false
  let isInList = false
  let isAfterBlank = true
  for (const given of text.slice(0, LENGTH_MAX).split(/\r\n|\n|\r/)) {
    if (fence !== null) {
      const closing = given.trim()
      if (closing.startsWith(fence) && closing === fence.charAt(0).repeat(closing.length)) fence = null
      continue
    }
    const isComment = isInComment
    const opening = isComment ? null : FENCE.exec(given)
    if (opening) {
      fence = opening[1] ?? opening[2] ?? null
      lines.push('')
      continue
    }
    const isBlank = given.trim() === ''
    if (!isComment && !isBlank) {
      if (INDENTED.test(given) && isAfterBlank && !isInList) continue
      isInList = LIST_ITEM.test(given) || (isInList && (!isAfterBlank || /^\s/.test(given)))
    }
    isAfterBlank = isBlank
    const line = visiblePart(given, { isInComment, code_spans })
    isInComment = line.isInComment
    // A line with nothing but a comment is no blank line: it does not end a paragraph.
    if (line.text.trim() !== '' || isBlank) lines.push(line.text)
  }
  return lines
}

/** The part of a line that is outside of comments. */
function visiblePart(
  line: string,
  { isInComment, code_spans }: { isInComment: boolean; code_spans: 'keep' | 'drop' },
): { text: string; isInComment: boolean } {
  let text = ''
  let at = 0
  if (isInComment) {
    const end = line.indexOf('-->')
    if (end < 0) return { text, isInComment: true }
    at = end + '-->'.length
  }
  const marks = /<!--|`+/g
  /** By length, where the last backticks of that length begin: what has none ahead is not looked for. */
  const last = new Map(Array.from(line.matchAll(/`+/g), ({ 0: { length }, index }) => [length, index]))
  for (;;) {
    marks.lastIndex = at
    const mark = marks.exec(line)
    if (mark === null) return { text: text + line.slice(at), isInComment: false }
    text += line.slice(at, mark.index)
    const [opening] = mark
    const from = mark.index + opening.length
    if (opening === '<!--') {
      const end = line.indexOf('-->', from)
      if (end < 0) return { text, isInComment: true }
      at = end + '-->'.length
      text += ' '
      continue
    }
    const isClosed = (last.get(opening.length) ?? 0) >= from
    const end = isClosed ? endOfSpan(line, opening, from) : null
    text += end !== null && code_spans === 'drop' ? ' ' : line.slice(mark.index, end ?? from)
    at = end ?? from
  }
}

/** Where the code span ends whose opening backticks end at `from`; null if nothing closes it. */
function endOfSpan(line: string, backticks: string, from: number): number | null {
  for (let at = line.indexOf(backticks, from); at >= 0; at = line.indexOf(backticks, at)) {
    let end = at
    while (line[end] === '`') end += 1
    if (end - at === backticks.length) return end
    at = end
  }
  return null
}

/** The part of a line that is searched for images and tags. */
const TESTED_MAX = 2_000

const HEADING = /^ {0,3}#{1,6}(?:\s|$)|^\s*(?:<details[^<>]*>\s*)?<(?:h[1-6]|summary)\b/i
/** The line below a heading, a rule, or the border of a table: `===`, `---`, `| --- |`. */
const RULE = /^[\s|:=*_-]+$/
const CHECKBOX = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]\](?:\s|$)/
/** A line in bold type takes the place of a heading in many templates. */
const BOLD_LINE = /^\s*(\*\*|__)[^*_]+\1:?\s*$/
/** Images, links around images, and tags of HTML. */
const DECORATION =
  /\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\](?:\([^)]*\)|\[[^\]]*\]))?|<\/?[a-zA-Z][^<>]*>/g

/**
 * The first paragraph of prose; empty if there is none. Headings, comments, checklists, images, badges and code, which
 * templates consist of, are skipped.
 */
export function firstProse(text: string): string {
  const paragraph: string[] = []
  const lines = proseLines(text, { code_spans: 'keep' })
  for (const [index, line] of lines.entries()) {
    const isUnderlined = /^ {0,3}(?:=+|-+)\s*$/.test(lines[index + 1] ?? '') && line.trim() !== ''
    const isSkipped =
      HEADING.test(line) || RULE.test(line) || CHECKBOX.test(line) || BOLD_LINE.test(line) || isUnderlined
    const isProse = !isSkipped && /[\p{L}\p{N}]/u.test(line.slice(0, TESTED_MAX).replace(DECORATION, ' '))
    if (isProse) paragraph.push(line.trimEnd())
    else if (paragraph.length > 0 && (isSkipped || line.trim() === '')) break
  }
  return paragraph.join('\n').trim()
}

const ISSUES_MAX = 100

const KEYWORD = String.raw`\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s{1,20}`
const NAME = String.raw`[\w-]{1,100}\/[\w.-]{1,100}`
const REFERENCE = String.raw`(?:(${NAME})?#|GH-|(https?:\/\/[^\s\/]{1,200}\/${NAME})\/issues\/)(\d{1,10})\b`
const CLOSING = new RegExp(KEYWORD + REFERENCE, 'gi')
/** Matches every text that has a keyword. It is tested first, because few texts have one. */
const HINT = /clos|fix|resolv/i

/**
 * The numbers of the issues of this repository that the texts close, in their order, each once. Comments and code do not
 * count, as on GitHub: the templates of many repositories contain `<!-- Fixes #1 -->`. `web_urls`: those of the
 * repository, such as `https://github.com/acme/shop`.
 */
export function closingIssues(texts: readonly string[], web_urls: readonly string[]): number[] {
  const hinting = texts.filter((text) => HINT.test(text))
  if (hinting.length === 0) return []
  const urls = web_urls.map((url) => url.toLowerCase())
  const names = urls.map((url) => url.split('/').slice(-2).join('/'))
  const issues = new Set<number>()
  for (const text of hinting) {
    const prose = proseLines(text, { code_spans: 'drop' }).join('\n')
    for (const [, name, url, digits] of prose.matchAll(CLOSING)) {
      if (name !== undefined && !names.includes(name.toLowerCase())) continue
      if (url !== undefined && !urls.includes(url.toLowerCase())) continue
      const number = Number(digits)
      if (number >= 1 && number <= NUMBER_MAX) issues.add(number)
      if (issues.size === ISSUES_MAX) return [...issues]
    }
  }
  return [...issues]
}
