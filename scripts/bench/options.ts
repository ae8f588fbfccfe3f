/** Command-line options of `npm run bench`, and the sizes that they select. */
import { parseArgs } from 'node:util'

export const PARTS = [
  'glob',
  'lines',
  'http',
  'start',
  'hooks',
  'check',
  'create',
  'requests',
  'overlaps',
  'instances',
  'permissions',
  'webhooks',
  'import',
  'overview',
  'turns',
  'hostile',
  'embedded',
  'peer',
  'page',
] as const
/** Those that take long. */
const ON_REQUEST = ['organisation', 'soak'] as const
export type PartName = (typeof PARTS)[number] | (typeof ON_REQUEST)[number]

export interface Options {
  parts: PartName[]
  quick: boolean
  /** Measures `dist` without building it first. */
  built: boolean
  /** File for the results as JSON. */
  json: string
  /** Also writes docs/performance.json, docs/performance.svg and the table in docs/performance.md. */
  docs: boolean
  sizes: Sizes
}

/** How much is measured. A round runs all variants of a scenario one after the other. */
export interface Sizes {
  /** Live activities in one repository. */
  live: number[]
  /** Repositories of ten live activities. */
  fleet: number
  /** Repositories with many collisions, and the live activities of each. */
  crowds: number
  crowd: number
  /** Concurrent clients. */
  clients: number[]
  rounds: number
  /** Of one variant in one round. */
  round_ms: number
  starts: number
  /** Rounds of each hook. */
  hooks: number
  deliveries: number
  /** Live leases in the peer. */
  leases: number
  /** Of `open` pull requests, one with `files` is compared; beside `imported` ones, `rounds` get a comment. */
  pulls: { open: number; files: number; imported: number; rounds: number }
  /** Imported repositories, and pushes beside the import. */
  import: { imported: number; rounds: number }
  /** Repositories of one caller, and rounds of 30 seconds each. */
  overview: { repositories: number; rounds: number }
  /** The changed files of a pull request, and the changed lines of each. */
  turns: { files: number; lines: number }
  organisation: OrganisationSizes
  /** Live activities on the web page, and for how long they change in each round. */
  page: { live: number; seconds: number }
  soak_minutes: number
  soak_minute_ms: number
}

export interface OrganisationSizes {
  repositories: number
  /** Open pull requests of each repository. */
  pulls: number
  /** Pull requests of each repository that were merged in the last month. */
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
  live: [100, 1000, 10_000, 100_000],
  fleet: 10_000,
  crowds: 32,
  crowd: 500,
  clients: [1, 8, 32],
  rounds: 5,
  round_ms: 800,
  starts: 7,
  hooks: 40,
  deliveries: 500,
  leases: 10_000,
  pulls: { open: 1000, files: 300, imported: 400, rounds: 12 },
  import: { imported: 300, rounds: 40 },
  overview: { repositories: 1000, rounds: 3 },
  turns: { files: 3000, lines: 200 },
  organisation: {
    repositories: 5000,
    pulls: 10,
    merged: 20,
    agents: 500,
    bursts: 60,
    burst: 200,
    burst_ms: 10_000,
    conflicts: 2,
    imported: 100,
  },
  page: { live: 400, seconds: 10 },
  soak_minutes: 10,
  soak_minute_ms: 60_000,
}

const QUICK: Sizes = {
  live: [100, 300],
  fleet: 30,
  crowds: 3,
  crowd: 50,
  clients: [1, 8],
  rounds: 3,
  round_ms: 150,
  starts: 2,
  hooks: 2,
  deliveries: 20,
  leases: 200,
  pulls: { open: 20, files: 10, imported: 5, rounds: 1 },
  import: { imported: 6, rounds: 2 },
  overview: { repositories: 20, rounds: 1 },
  turns: { files: 30, lines: 20 },
  organisation: {
    repositories: 20,
    pulls: 8,
    merged: 2,
    agents: 10,
    bursts: 3,
    burst: 20,
    burst_ms: 1000,
    conflicts: 1,
    imported: 2,
  },
  page: { live: 20, seconds: 2 },
  soak_minutes: 2,
  soak_minute_ms: 1000,
}

const USAGE = `npm run bench -- [--only ${PARTS.slice(0, 3).join(',')},…] [--soak] [--quick] [--live 100,1000] [--repositories 5000] [--minutes 10] [--built] [--json FILE] [--docs]
  parts: ${PARTS.join(', ')}; organisation (half an hour) and soak (ten minutes) run only on request
  --quick  small sizes, as a smoke test; the figures are meaningless
  --live   live activities per repository, instead of 100 to 100,000
  --repositories, --minutes  of the organisation, instead of 5,000 and 10
  --built  measures dist/ without building it first
  --docs   also writes docs/performance.json, docs/performance.svg and the table in docs/performance.md`

/** Throws an Error with a message for the user. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      soak: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      live: { type: 'string' },
      repositories: { type: 'string' },
      minutes: { type: 'string' },
      built: { type: 'boolean', default: false },
      docs: { type: 'boolean', default: false },
      json: { type: 'string', default: 'bench-results.json' },
    },
  })
  const { only, soak, quick, built, docs, json, live } = values
  const names = only?.split(',').map((name) => name.trim())
  const known: readonly string[] = [...PARTS, ...ON_REQUEST]
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`unknown part ${unknown}\n${USAGE}`)
  const selected = names ? known.filter((name) => names.includes(name)) : soak ? [] : [...PARTS]
  const parts = (soak ? [...new Set([...selected, 'soak'])] : selected) as PartName[]
  const sizes = { ...(quick ? QUICK : FULL) }
  if (live) sizes.live = live.split(',').map((text) => sizeOf('live', text, 10))
  sizes.organisation = organisationOf(sizes.organisation, values)
  return {
    parts,
    quick,
    built,
    json,
    docs,
    sizes,
  }
}

function organisationOf(
  sizes: OrganisationSizes,
  { repositories, minutes }: { repositories?: string | undefined; minutes?: string | undefined },
): OrganisationSizes {
  return {
    ...sizes,
    ...(repositories && { repositories: sizeOf('repositories', repositories, 10) }),
    ...(minutes && { bursts: Math.ceil((sizeOf('minutes', minutes, 1) * 60_000) / sizes.burst_ms) }),
  }
}

function sizeOf(option: string, text: string, least: number): number {
  const size = Number(text)
  if (Number.isInteger(size) && size >= least) return size
  throw new Error(`--${option}: ${text} is not a whole number of at least ${least}\n${USAGE}`)
}
