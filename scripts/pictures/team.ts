/** The live work of a made-up team, for the pictures of the page: 40 activities of 14 people, some of which collide. */
import { editOf } from '../../test/support/lines.ts'

/** Logins of the team; each has a token of the same name. */
export const TEAM = [
  ...['ada', 'ben', 'cyra', 'dee', 'emil', 'fatou', 'goro'],
  ...['hanna', 'ivo', 'jun', 'kofi', 'lena', 'marek', 'noor'],
]

interface More {
  areas?: string[]
  agent?: string
  /** The number of its pull request. */
  pr?: number
  draft?: boolean
  risk?: 'medium' | 'high' | 'critical'
}

export interface Work extends More {
  who: string
  title: string
  /** Minutes since it began. */
  age: number
  /** Globs, and files with the first and last line of the change in them, separated by spaces. */
  scope: string
}

// biome-ignore format: one line for each activity
const WORK: readonly [who: string, title: string, age: number, scope: string, more: More][] = [
  ['ben', 'Tidy the retry loop', 2890, 'src/checkout/retry.ts:40-58 src/checkout/retry.test.ts:12-30', { pr: 118 }],
  ['ada', 'Retry declined payments twice', 1410, 'src/checkout/retry.ts:44-52 src/checkout/cart.ts:80-96 src/checkout/payment.ts:10-34', { pr: 123, agent: 'claude-code' }],
  ['cyra', 'Idempotent payment intents', 900, 'src/checkout/payment.ts:28-61 src/checkout/retry.ts:120-131', { pr: 127, draft: true, agent: 'codex', risk: 'high' }],
  ['dee', 'Gift cards at checkout', 560, 'src/checkout/cart.ts:90-140 src/checkout/payment.ts:200-226 web/cart/summary.tsx:18-40', { pr: 131 }],
  ['emil', 'Dark mode for the storefront', 4300, 'web/theme/tokens.css:1-60 web/cart/summary.tsx:30-52 web/layout/header.tsx:14-33', { pr: 109 }],
  ['fatou', 'Sticky header on small screens', 330, 'web/layout/header.tsx:22-47 web/theme/tokens.css:100-112', { pr: 133, agent: 'cursor' }],
  ['goro', 'Index the orders by day', 210, 'db/migrations/**', { risk: 'critical', areas: ['database'] }],
  ['hanna', 'Drop the legacy coupons table', 1900, 'db/migrations/0042_coupons.sql:1-24 src/pricing/coupons.ts:5-90', { pr: 115 }],
  ['ivo', 'Stackable coupons', 700, 'src/pricing/coupons.ts:60-120 src/pricing/rules.ts:10-22', { pr: 129 }],
  ['jun', 'Round prices per currency', 95, 'src/pricing/rules.ts:15-30 src/pricing/money.ts:3-41', { agent: 'copilot' }],
  ['kofi', 'Rate limit the search endpoint', 60, 'src/search/query.ts:70-85 src/http/limits.ts:1-30', { pr: 136, draft: true }],
  ['lena', 'Typo tolerance in search', 1250, 'src/search/query.ts:74-130 src/search/rank.ts:1-44', { pr: 124, agent: 'jules' }],
  ['marek', 'Trace every request', 45, 'src/http/**', { agent: 'devin' }],
  ['noor', 'Log slow queries', 25, 'src/db/pool.ts:30-48 src/http/limits.ts:40-52', { pr: 137 }],
  ['ada', 'Document the payment states', 180, 'docs/payments.md:1-80', {  }],
]

/** Topics in which the rest of the team works alone. */
const ALONE = `Export invoices as PDF, Translate the help pages, Cache product images, Audit log for refunds,
Address validation, Faster cold start, Accessible date picker, Newsletter opt-out, Warehouse stock
sync, Return labels, Order notes, Feature flags clean-up, Upgrade the router, Prune old sessions,
Two-factor sign-in, Export to CSV, Product reviews, Wish lists, Delivery windows, Tax for Norway,
Fraud score, Status page, Image alt texts, Checkout analytics, Bulk price edit`.split(/,\s+/)

/** The work of the team, oldest first. */
export function teamWork(): Work[] {
  const alone = ALONE.map((title, index): Work => {
    const agent = [undefined, 'claude-code', undefined, 'copilot', 'codex'][index % 5]
    return {
      who: TEAM[(index * 5) % TEAM.length] as string,
      title,
      age: 40 + ((index * 397) % 5200),
      scope: `src/${slugOf(title)}/index.ts:1-${20 + index}`,
      ...(index % 3 > 0 && { pr: 60 + index }),
      ...(agent && { agent }),
    }
  })
  const together = WORK.map(([who, title, age, scope, more]): Work => ({ who, title, age, scope, ...more }))
  return [...together, ...alone].toSorted((one, other) => other.age - one.age)
}

/** The body of `POST /activity`. `url`: the repository on GitHub. */
export function workBody(work: Work, url: string): object {
  const { who, age, scope, areas = [], pr, draft = false, ...rest } = work
  const all = scope.split(' ').filter(Boolean)
  return {
    ...rest,
    summary: `${rest.title}.`,
    actor: who,
    branch: `${who}/${slugOf(rest.title)}`,
    base_branch: 'main',
    ...(pr && { pr_url: `${url}/pull/${pr}`, draft_pr: draft }),
    scope: {
      areas,
      paths: all.filter((each) => !each.includes(':')),
      changes: all.filter((each) => each.includes(':')).map((each) => changeOf(each, who)),
    },
  }
}

function slugOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
}

function changeOf(edit: string, who: string) {
  const [path = '', lines = ''] = edit.split(':')
  const [first = 0, last = 0] = lines.split('-').map(Number)
  const base = Array.from({ length: 300 }, (_, line) => `line ${line} of ${path}`)
  const count = last - first + 1
  const added = Array.from({ length: count }, (_, line) => `line ${first + line} by ${who}`)
  return { path, patch: editOf(base, first, count, added) }
}

export const TEAM_NOTABLES = [
  {
    title: 'Migrations are frozen until Friday',
    summary: 'The cut-over to the new cluster is running. Ask in #database before you add one.',
    importance: 'high',
    category: 'migration',
    scope: { paths: ['db/migrations/**'] },
  },
  {
    title: 'Money is always an integer of the smallest unit',
    summary: 'Use src/pricing/money.ts; no floating point numbers.',
    importance: 'medium',
    category: 'pattern',
    decision_url: 'https://example.com/decisions/12',
    scope: { paths: ['src/pricing/**'] },
  },
]
