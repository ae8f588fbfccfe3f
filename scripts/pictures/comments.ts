/** Comments of the App as HTML, rendered as GitHub does. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { marked } from 'marked'
import { commentOf } from '../../src/server/tell/comment.ts'
import type { ReportedActivity, ReportedPath } from '../../src/server/tell/counterparts.ts'
import type { Report } from '../../src/server/tell/report.ts'
import type { LineRange } from '../../src/vocabulary/verdict.ts'
import { PULL, place, report, reportedActivity } from '../../test/support/report.ts'

const STYLE = readFileSync(fileURLToPath(import.meta.resolve('github-markdown-css')), 'utf8')

function conflict(example: string, theirs: LineRange, yours: LineRange): ReportedPath {
  return place(example, { verdict: 'conflict', confidence: 'proved', your_lines: yours, their_lines: theirs })
}

const RETRY = conflict('src/checkout/retry.ts', [40, 52], [38, 50])

function other(number: number, title: string, changes: Partial<ReportedActivity>): ReportedActivity {
  const named = { pull_request: PULL(number), title, actor: 'ben' }
  return { ...reportedActivity, severity: 'high', ...named, paths: [RETRY], ...changes }
}

const BEN = other(123, 'Retry declined payments twice', {})
const FILES = ['cart', 'order', 'total'].map((name) => conflict(`src/checkout/${name}.ts`, [3, 9], [5, 6]))
const CARD = conflict('src/checkout/card.ts', [7, 19], [7, 7])
const CY = other(118, 'Split the checkout', { actor: 'cy', paths: [RETRY, CARD, ...FILES] })
const DEE = other(129, 'Log each retry', { actor: 'dee', stage: 'draft', is_ahead: false })

const ABOUT: Partial<Report> = {
  compared: { activities: 41, notables: 2, expected: 0 },
  as_of: new Date('2026-11-22T14:05:00Z'),
  page_url: 'https://deconflict.example.com/#/acme/shop?pr=131',
}
const COMMENTS: [title: string, activities: ReportedActivity[]][] = [
  ['One other pull request', [BEN]],
  ['Several', [BEN, CY, DEE]],
  ['The overlap is gone', []],
]

export function commentsPage(): string {
  const sections = COMMENTS.map(([title, activities]) => {
    const found = report({ ...ABOUT, severity: activities.length > 0 ? 'high' : null, activities })
    const comment = marked.parse(commentOf(found), { async: false })
    return `<h4>${title}</h4><div class="comment">${comment}</div>`
  })
  return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>${STYLE}
body { margin: 0; padding: 16px; background: Canvas; color-scheme: light dark }
.comment { padding: 16px; border: 1px solid #8884; border-radius: 6px; margin-bottom: 16px }</style>
<body class="markdown-body">${sections.join('')}</body>`
}
