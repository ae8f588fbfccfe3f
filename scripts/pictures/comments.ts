/** Comments of the App as HTML, rendered as GitHub does. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { marked } from 'marked'
import { commentOf } from '../../src/server/tell/comment.ts'
import type { ReportedActivity, ReportedPath } from '../../src/server/tell/counterparts.ts'

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
    conflicts_with_base: false,
    is_ahead: true,
    areas: [],
    paths: [RETRY],
    consequence: 'conflict',
    findings: [],
    fixes: [],
    is_same_author: false,
    ...changes,
  }
}

function report(activities: ReportedActivity[]): Parameters<typeof commentOf>[0] {
  return {
    severity: activities.length > 0 ? 'high' : null,
    earns_comment: activities.length > 0,
    charge: null,
    may_merge: true,
    activities,
    notables: [],
    suppressed: { activities: [], notables: [] },
    merged: [],
    done: null,
    taken: [],
    threshold: { severity: 'medium', is_of_draft: false },
    not_compared: null,
    compared: { activities: 41, notables: 2, expected: 0 },
    gap: null,
    stage: 'ready',
    as_of: new Date('2026-11-22T14:05:00Z'),
    page_url: 'https://deconflict.example.com/#/acme/shop?pr=131',
  }
}

const BEN = other(123, 'Retry declined payments twice', {})
const FILES = ['cart', 'order', 'total'].map((name) => place(`src/checkout/${name}.ts`, [3, 9], [5, 6]))
const CARD = place('src/checkout/card.ts', [7, 19], [7, 7])
const CY = other(118, 'Split the checkout', { actor: 'cy', paths: [RETRY, CARD, ...FILES] })
const DEE = other(129, 'Log each retry', { actor: 'dee', stage: 'draft', is_ahead: false })

const COMMENTS: [title: string, activities: ReportedActivity[]][] = [
  ['One other pull request', [BEN]],
  ['Several', [BEN, CY, DEE]],
  ['The overlap is gone', []],
]

export function commentsPage(): string {
  const sections = COMMENTS.map(([title, activities]) => {
    const comment = marked.parse(commentOf(report(activities)), { async: false })
    return `<h4>${title}</h4><div class="comment">${comment}</div>`
  })
  return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>${STYLE}
body { margin: 0; padding: 16px; background: Canvas; color-scheme: light dark }
.comment { padding: 16px; border: 1px solid #8884; border-radius: 6px; margin-bottom: 16px }</style>
<body class="markdown-body">${sections.join('')}</body>`
}
