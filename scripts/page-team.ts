/** The live work of a made-up team, for the pictures of the page: 40 activities of 14 people, some of which collide. */
import { editOf } from '../test/support/lines.ts'

/** Logins of the team; each has a token of the same name. */
export const TEAM = [
  ...['ada', 'ben', 'cyra', 'dee', 'emil', 'fatou', 'goro'],
  ...['hanna', 'ivo', 'jun', 'kofi', 'lena', 'marek', 'noor'],
]

/** A file and the first and last line of the change in it. */
type Edit = readonly [path: string, first: number, last: number]

interface Work {
  who: string
  title: string
  /** Minutes since it began. */
  age: number
  edits?: readonly Edit[]
  /** Declared globs instead of changes. */
  paths?: readonly string[]
  areas?: readonly string[]
  agent?: string
  /** The number of its pull request. */
  pr?: number
  draft?: boolean
  risk?: 'medium' | 'high' | 'critical'
  issue?: number
  branch?: string
}

const WORK: readonly Work[] = [
  {
    who: 'ben',
    title: 'Tidy the retry loop',
    age: 2890,
    pr: 118,
    edits: [
      ['src/checkout/retry.ts', 40, 58],
      ['src/checkout/retry.test.ts', 12, 30],
    ],
  },
  {
    who: 'ada',
    title: 'Retry declined payments twice',
    age: 1410,
    pr: 123,
    agent: 'claude-code',
    edits: [
      ['src/checkout/retry.ts', 44, 52],
      ['src/checkout/cart.ts', 80, 96],
      ['src/checkout/payment.ts', 10, 34],
    ],
  },
  {
    who: 'cyra',
    title: 'Idempotent payment intents',
    age: 900,
    pr: 127,
    draft: true,
    agent: 'codex',
    risk: 'high',
    edits: [
      ['src/checkout/payment.ts', 28, 61],
      ['src/checkout/retry.ts', 120, 131],
    ],
  },
  {
    who: 'dee',
    title: 'Gift cards at checkout',
    age: 560,
    pr: 131,
    edits: [
      ['src/checkout/cart.ts', 90, 140],
      ['src/checkout/payment.ts', 200, 226],
      ['web/cart/summary.tsx', 18, 40],
    ],
  },
  {
    who: 'emil',
    title: 'Dark mode for the storefront',
    age: 4300,
    pr: 109,
    edits: [
      ['web/theme/tokens.css', 1, 60],
      ['web/cart/summary.tsx', 30, 52],
      ['web/layout/header.tsx', 14, 33],
    ],
  },
  {
    who: 'fatou',
    title: 'Sticky header on small screens',
    age: 330,
    pr: 133,
    agent: 'cursor',
    edits: [
      ['web/layout/header.tsx', 22, 47],
      ['web/theme/tokens.css', 100, 112],
    ],
  },
  {
    who: 'goro',
    title: 'Index the orders by day',
    age: 210,
    risk: 'critical',
    paths: ['db/migrations/**'],
    areas: ['database'],
  },
  {
    who: 'hanna',
    title: 'Drop the legacy coupons table',
    age: 1900,
    pr: 115,
    edits: [
      ['db/migrations/0042_coupons.sql', 1, 24],
      ['src/pricing/coupons.ts', 5, 90],
    ],
  },
  {
    who: 'ivo',
    title: 'Stackable coupons',
    age: 700,
    pr: 129,
    edits: [
      ['src/pricing/coupons.ts', 60, 120],
      ['src/pricing/rules.ts', 10, 22],
    ],
  },
  {
    who: 'jun',
    title: 'Round prices per currency',
    age: 95,
    agent: 'copilot',
    edits: [
      ['src/pricing/rules.ts', 15, 30],
      ['src/pricing/money.ts', 3, 41],
    ],
  },
  {
    who: 'kofi',
    title: 'Rate limit the search endpoint',
    age: 60,
    pr: 136,
    draft: true,
    edits: [
      ['src/search/query.ts', 70, 85],
      ['src/http/limits.ts', 1, 30],
    ],
  },
  {
    who: 'lena',
    title: 'Typo tolerance in search',
    age: 1250,
    pr: 124,
    agent: 'jules',
    edits: [
      ['src/search/query.ts', 74, 130],
      ['src/search/rank.ts', 1, 44],
    ],
  },
  { who: 'marek', title: 'Trace every request', age: 45, paths: ['src/http/**'], agent: 'devin' },
  {
    who: 'noor',
    title: 'Log slow queries',
    age: 25,
    pr: 137,
    edits: [
      ['src/db/pool.ts', 30, 48],
      ['src/http/limits.ts', 40, 52],
    ],
  },
  {
    who: 'ada',
    title: 'Document the payment states',
    age: 180,
    edits: [['docs/payments.md', 1, 80]],
  },
]

/** Topics in which the rest of the team works alone. */
const ALONE = [
  'Export invoices as PDF',
  'Translate the help pages',
  'Cache product images',
  'Audit log for refunds',
  'Address validation',
  'Faster cold start',
  'Accessible date picker',
  'Newsletter opt-out',
  'Warehouse stock sync',
  'Return labels',
  'Order notes',
  'Feature flags clean-up',
  'Upgrade the router',
  'Prune old sessions',
  'Two-factor sign-in',
  'Export to CSV',
  'Product reviews',
  'Wish lists',
  'Delivery windows',
  'Tax for Norway',
  'Fraud score',
  'Status page',
  'Image alt texts',
  'Checkout analytics',
  'Bulk price edit',
]

/** Agents that take the issues of one backlog. */
const AGENTS: readonly Work[] = [
  { who: 'ben', title: 'Limit the retries of each order', age: 160, pr: 141, agent: 'codex', issue: 7 },
  { who: 'ben', title: 'Work on 7-agent-4', branch: '7-agent-4', age: 34, agent: 'claude-code', issue: 7 },
  { who: 'lena', title: 'Work on 7-agent-9', branch: '7-agent-9', age: 12, agent: 'gemini', issue: 7 },
  { who: 'jun', title: 'Work on 12-agent-2', branch: '12-agent-2', age: 21, agent: 'copilot', issue: 12 },
  { who: 'ben', title: 'Work on 12-agent-6', branch: '12-agent-6', age: 8, agent: 'claude-code', issue: 12 },
]

/** The work of agents on one backlog, in the form of `teamWork`. */
export const agentsWork = (web_url: string, repository: string) => bodiesOf(AGENTS, web_url, repository)

/** Bodies of `POST /activity`, oldest first, each with its author's token and its age in minutes. */
export function teamWork(web_url: string, repository: string) {
  const alone = ALONE.map((title, index): Work => {
    const folder = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    const agents = [undefined, 'claude-code', undefined, 'copilot', 'codex']
    return {
      who: TEAM[(index * 5) % TEAM.length] as string,
      title,
      age: 40 + ((index * 397) % 5200),
      edits: [[`src/${folder}/index.ts`, 1, 20 + index]],
      ...(index % 3 === 0 ? {} : { pr: 60 + index }),
      ...(agents[index % 5] ? { agent: agents[index % 5] as string } : {}),
    }
  })
  return bodiesOf([...WORK, ...alone], web_url, repository)
}

function bodiesOf(work: readonly Work[], web_url: string, repository: string) {
  return work
    .toSorted((one, other) => other.age - one.age)
    .map(({ who, age, edits = [], paths = [], areas = [], pr, draft, ...rest }) => ({
      token: who,
      age_min: age,
      body: {
        ...rest,
        summary: `${rest.title}.`,
        actor: who,
        branch: rest.branch ?? `${who}/${rest.title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`,
        base_branch: 'main',
        ...(pr ? { pr_url: `${web_url}/${repository}/pull/${pr}`, draft_pr: draft === true } : {}),
        scope: { areas, paths, changes: edits.map((edit) => changeOf(edit, who)) },
      },
    }))
}

function changeOf([path, first, last]: Edit, who: string) {
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
