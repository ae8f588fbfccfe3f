/** The issues that a pull request closes, by GitHub's keywords in its title, its body and its commits. Pure. */

/** The maximum number of characters that are read of one text. */
const LENGTH_MAX = 100_000
const ISSUES_MAX = 100

const KEYWORD = String.raw`\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s{1,20}`
const REPOSITORY = String.raw`[\w-]{1,100}\/[\w.-]{1,100}`
const REFERENCE = String.raw`(?:(${REPOSITORY})?#|GH-|https?:\/\/[^\s\/]{1,200}\/(${REPOSITORY})\/issues\/)(\d{1,9})\b`
const CLOSING = new RegExp(KEYWORD + REFERENCE, 'gi')
/** Matches every text that has a keyword. It is tested first, because few texts have one. */
const HINT = /clos|fix|resolv/i
const NONE: ReadonlySet<number | string> = new Set()

/**
 * The issues that the texts close: numbers for issues of `repository` (`owner/name`), `owner/name#7` for those of another
 * one. Comments and code are ignored, as on GitHub: the templates of many repositories contain `<!-- Fixes #1 -->`.
 */
export function closingIssues(texts: readonly string[], repository: string): ReadonlySet<number | string> {
  const hinting = texts.filter((text) => HINT.test(text))
  if (hinting.length === 0) return NONE
  const issues = new Set<number | string>()
  for (const text of hinting) {
    for (const match of proseOf(text.slice(0, LENGTH_MAX)).matchAll(CLOSING)) {
      const named = (match[1] ?? match[2])?.toLowerCase()
      const number = Number(match[3])
      issues.add(named === undefined || named === repository.toLowerCase() ? number : `${named}#${number}`)
      if (issues.size === ISSUES_MAX) return issues
    }
  }
  return issues
}

/** The text without comments and code. An unclosed comment or code block ends with the text, an unclosed span with its line. */
function proseOf(text: string): string {
  const prose = without(text, '<!--', '-->')
    .split(/^ {0,3}(?:```|~~~).*$/m)
    .filter((_, index) => index % 2 === 0)
    .join('\n')
  return prose.replace(/`[^`\n]*`/g, ' ')
}

function without(text: string, open: string, close: string): string {
  const [first = '', ...rest] = text.split(open)
  return [first, ...rest.map((part) => part.split(close).slice(1).join(close))].join(' ')
}
