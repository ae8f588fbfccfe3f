/** The issues that a pull request closes, by GitHub's keywords in its title and its description. Pure. */
import { proseLines } from './markdown-prose.ts'

const ISSUES_MAX = 100
/** Numbers are stored as 32-bit integers. */
const NUMBER_MAX = 2_147_483_647

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
