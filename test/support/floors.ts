/** The folders of `src`, the lowest floor first, and what each is for. docs/architecture.md shows them as `drawn` prints them. */
export const FLOORS: Record<string, string>[] = [
  { vocabulary: 'statuses, severities, verdicts and the words for them, limits, clock' },
  { 'vocabulary/scope': 'globs' },
  { 'vocabulary/contract': 'every operation as data, and the schemas' },
  { 'engine/lines': 'patch → digest → verdict: whether two changes of a file conflict' },
  {
    'engine/kinds': 'how each kind of finding is found, and how severe it is',
  },
  {
    engine: 'what meets what: a live set in memory. No clock, no I/O, no SQL',
    'engine/settings': 'settings files, and which value holds',
    client: 'the contract as typed methods over HTTP · mcp/: the tools of MCP, over a client',
    git: 'what git says of a clone: working trees, branches, changed files · a lock between processes',
  },
  {
    'engine/records':
      'activities and notables as they are stored: lifecycle, compared scope, forms in answers',
  },
  {
    'engine/check':
      'what a check finds and says · all collisions · merge order. A source is asked for the records',
  },
  { local: "the client's methods over one clone, without a service" },
  { 'cli/agents': 'one file for each coding agent' },
  {
    cli: 'the command · hook/ · init/ · doctor/',
    page: 'the page (Preact)',
    'server/platform': 'configuration, what runs after the response',
  },
  { 'server/platform/telemetry': 'metrics and logs' },
  {
    'server/platform/db': 'connections, migrations, transactions',
    'server/github': "tokens, permissions, GitHub's API",
  },
  { 'server/records/live-sets': 'the version of the live set of a repository · the live sets in memory' },
  {
    'server/jobs': 'a durable queue and its worker',
    'server/records/file-changes': 'the rows of changed files, with the digests of their patches',
    'server/records/stacks': 'which branch is built on which',
  },
  { 'server/records/repositories': 'RepoContext, rows of repositories, calls as their installation' },
  { 'server/records/changes': 'changed records → rechecks, notifications' },
  {
    'server/records/activities': 'lifecycle, verbs, SQL',
    'server/records/notables': 'lifecycle, verbs, SQL',
    'server/github/setup': 'the GitHub App that /setup creates, and its stored credentials',
    'server/records/pull-requests': 'the rows of tracked pull requests',
  },
  {
    'server/records/merged-work': 'the lines of merged pull requests, which show that work is done already',
  },
  { 'server/compare': 'the database as a source of checks · all collisions, computed once' },
  {
    'server/tell':
      'read → decide → apply: what a check leads to · the ledger of pairs · comment, check run, notification',
    'server/operations/overview': 'the repositories of a caller',
    'server/records/issues': 'who works on an issue, and which merged pull request closes it',
  },
  {
    'server/github/tracking':
      'pull requests and branches on GitHub → rows: events, import, reconcile, watch · job handlers',
  },
  { 'server/operations': 'handlers, perform · admission, rate limit · idempotency · sweep' },
  { 'server/operations/admin': 'deconflict-admin: purge · gauges that are collected on scrape' },
  {
    'server/doors/http': 'routes of the contract, /mcp, request bodies, failures, access log, /docs',
    'server/doors/webhooks': 'deliveries: verified, stored as jobs, mapped to verbs',
    'server/doors/page': 'sign-in, /setup, the files of the page',
  },
  { server: 'the start: opens everything, and closes it' },
]

/** The highest floor first, as in a building. */
export function drawn(floors: Record<string, string>[]): string {
  const width = Math.max(...floors.flatMap((floor) => Object.keys(floor).map((folder) => folder.length)))
  const lines = floors.flatMap((floor, level) =>
    Object.entries(floor).map(
      ([folder, purpose]) => `${String(level).padStart(2)} ${folder.padEnd(width)}  ${purpose}`,
    ),
  )
  return lines.reverse().join('\n')
}
