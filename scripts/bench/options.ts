/** Command-line options of `npm run bench`, and the sizes that they select. */
import { parseArgs } from 'node:util'

export const PARTS = ['hooks', 'check', 'create', 'pulls', 'import', 'page', 'local'] as const
export type PartName = (typeof PARTS)[number] | 'organisation'

/** How much is measured. A round runs all variants of a scenario one after the other. */
export interface Sizes {
  /** Live activities in one repository. */
  live: number[]
  /** Concurrent clients. */
  clients: number[]
  rounds: number
  /** Of one variant in one round. */
  round_ms: number
  /** Rounds of each hook. */
  hooks: number
  /** Beside `imported` pull requests, `rounds` get a comment. */
  pulls: { imported: number; rounds: number }
  /** Imported repositories, and pushes beside the import. */
  import: { imported: number; rounds: number }
  organisation: OrganisationSizes
  /** Working trees of one clone. */
  local: number
  /** Live activities on the web page, and changes of them in each round. */
  page: { live: number; changes: number }
}

export interface OrganisationSizes {
  repositories: number
  /** Open pull requests of each repository, and those that were merged in the last month. */
  pulls: number
  merged: number
  agents: number
  /** Bursts of so many deliveries, one every `burst_ms`; so many of each bring a conflict about. */
  bursts: number
  burst: number
  burst_ms: number
  conflicts: number
  /** Repositories that are added meanwhile, in a second run. */
  imported: number
}

const FULL: Sizes = {
  live: [100, 1000, 10_000],
  clients: [1, 8, 32],
  rounds: 5,
  round_ms: 800,
  hooks: 40,
  pulls: { imported: 400, rounds: 12 },
  import: { imported: 300, rounds: 40 },
  organisation: {
    ...{ repositories: 5000, pulls: 10, merged: 20, agents: 500, imported: 100 },
    ...{ bursts: 30, burst: 200, burst_ms: 10_000, conflicts: 2 },
  },
  page: { live: 400, changes: 5 },
  local: 20,
}

const QUICK: Sizes = {
  live: [100, 300],
  clients: [1, 8],
  rounds: 2,
  round_ms: 100,
  hooks: 2,
  pulls: { imported: 5, rounds: 1 },
  import: { imported: 6, rounds: 2 },
  organisation: {
    ...{ repositories: 20, pulls: 8, merged: 2, agents: 10, imported: 2 },
    ...{ bursts: 3, burst: 20, burst_ms: 1000, conflicts: 1 },
  },
  page: { live: 20, changes: 4 },
  local: 3,
}

const USAGE = `npm run bench -- [--only ${PARTS.slice(0, 3).join(',')},…] [--live 100,1000] [--json FILE] [--quick] [--built]
  --only   of ${PARTS.join(', ')}; organisation, which takes half an hour, runs only on request
  --live   live activities per repository, instead of 100 to 10,000
  --quick  small sizes, as a smoke test; the figures are meaningless
  --built  measures dist/ without building it first`

export type Options = ReturnType<typeof readOptions>

/** Throws an Error with a message for the user. */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: PARTS.join() },
      live: { type: 'string' },
      json: { type: 'string', default: 'bench-results.json' },
      quick: { type: 'boolean', default: false },
      built: { type: 'boolean', default: false },
    },
  })
  const { only, live, ...others } = values
  const known: readonly PartName[] = [...PARTS, 'organisation']
  const parts = only.split(',').map((given) => {
    const part = known.find((name) => name === given.trim())
    if (part === undefined) throw new Error(`unknown part ${given}\n${USAGE}`)
    return part
  })
  const sizes = structuredClone(others.quick ? QUICK : FULL)
  if (live) sizes.live = live.split(',').map(sizeOf)
  return { ...others, parts, sizes }
}

function sizeOf(text: string): number {
  const size = Number(text)
  if (Number.isInteger(size) && size > 0) return size
  throw new Error(`--live: ${text} is not a whole number above 0\n${USAGE}`)
}
