/** The performance goals, and whether a run meets them. */
import { availableParallelism } from 'node:os'
import { growthExponent, type Results, shown } from './measure.ts'
import type { Sizes } from './options.ts'

export interface Goal {
  what: string
  /** As it is printed: `≤ 1.5 ×`. */
  goal: string
  /** Null when this run did not measure it. */
  measured: number | null
  met: boolean | null
  /** By how much it is missed, or a remark on the figure. */
  note: string
}

type Bound = { most: number } | { least: number }

interface Target {
  what: string
  bound: Bound
  unit: string
  value: number | undefined
  note?: string
}

/** The lock server of Git LFS at 10,000 locks, measured earlier on a similar machine; not part of a run. */
const LFS = { checks_per_s: 82, create_ms: 63.7 }
/** Clients when throughput is compared with a baseline. */
const CLIENTS = 8

export function goalsOf(results: Results, sizes: Sizes): Goal[] {
  const cores = availableParallelism()
  return targets(results, sizes).map(({ what, bound, unit, value, note = '' }) => {
    const limit = 'most' in bound ? bound.most : bound.least
    const goal = `${'most' in bound ? '≤' : '≥'} ${shown(limit)} ${unit}`
    if (value === undefined || !Number.isFinite(value))
      return { what, goal, measured: null, met: null, note: 'not measured in this run' }
    const met = 'most' in bound ? value <= limit : value >= limit
    const off = 'most' in bound ? value / limit : limit / value
    const isShortOfCores = what.startsWith('two instances') && cores < 4
    const missed = met ? '' : `missed by a factor of ${shown(off)}`
    const why = isShortOfCores
      ? `on ${cores} cores, shared by the database, the load generator and both instances`
      : ''
    return {
      what,
      goal,
      measured: Number(value.toPrecision(4)),
      met,
      note: [missed, why, note].filter(Boolean).join('; '),
    }
  })
}

function targets(results: Results, sizes: Sizes): Target[] {
  const median = (id: string) => results.median(id)
  const ratio = (a: string, b: string) => results.ratio(a, b)
  const percent = (a: string, b: string) => {
    const value = ratio(a, b)
    return value === undefined ? undefined : value * 100
  }
  const small = Math.min(...sizes.live)
  const large = Math.max(...sizes.live)
  const clients = Math.max(...sizes.clients.filter((each) => each <= CLIENTS))
  const by = `${large.toLocaleString('en-US')} live relative to ${small.toLocaleString('en-US')}`
  const at = `${clients} clients`
  const ofBare = (id: string) => {
    const value = percent(`${id}.${clients}.service.rate`, `${id}.${clients}.bare.rate`)
    return value === undefined ? '' : `${shown(value)} % of bare node with all statements`
  }
  return [
    {
      what: `check p50, ${by}, sparse`,
      bound: { most: 1.5 },
      unit: '×',
      value: ratio(`check.sparse.${large}.p50`, `check.sparse.${small}.p50`),
    },
    {
      what: 'check, growth exponent, 13 % overlap',
      bound: { most: 0.65 },
      unit: '',
      value: denseGrowth(results, sizes),
    },
    {
      what: 'check that overlaps relative to one that does not, mixed scopes, p50',
      bound: { most: 2 },
      unit: '×',
      value: ratio('check.mix.some.p50', 'check.mix.none.p50'),
    },
    {
      what: 'sparse check, processor time of the service, 8 clients',
      bound: { most: 600 },
      unit: 'µs',
      value: median('check.busy.service.cpu'),
    },
    {
      what: `all collisions of ${shown(sizes.crowd)} live activities, p50`,
      bound: { most: 300 },
      unit: 'ms',
      value: median('overlaps.all.p50'),
    },
    {
      what: 'all collisions relative to a dense check, processor time',
      bound: { most: 2 },
      unit: '×',
      value: ratio('overlaps.all.cpu', 'overlaps.check.cpu'),
    },
    {
      what: `create relative to pgbench’s insert, ${at}`,
      bound: { least: 40 },
      unit: '%',
      value: percent(`create.${clients}.service.rate`, `create.${clients}.pgbench.rate`),
    },
    {
      what: `create p50, ${by}`,
      bound: { most: 1.3 },
      unit: '×',
      value: ratio(`create.size.${large}.p50`, `create.size.${small}.p50`),
    },
    {
      what: `heartbeat relative to pgbench’s update, ${at}`,
      bound: { least: 45 },
      unit: '%',
      value: percent(`heartbeat.${clients}.service.rate`, `heartbeat.${clients}.pgbench.rate`),
      note: ['includes an overlap check', ofBare('heartbeat')].filter(Boolean).join(', '),
    },
    {
      what: 'heartbeat, updates that are HOT',
      bound: { least: 85 },
      unit: '%',
      value: median('heartbeat.hot'),
    },
    {
      what: `list of 50 relative to bare node with the same SQL, ${at}`,
      bound: { least: 85 },
      unit: '%',
      value: percent(`list.${clients}.service.rate`, `list.${clients}.bare.rate`),
    },
    {
      what: `list of 50 p50, ${by}`,
      bound: { most: 2 },
      unit: '×',
      value: ratio(`list.size.${large}.p50`, `list.size.${small}.p50`),
    },
    {
      what: 'HTTP layer relative to bare node:http',
      bound: { least: 80 },
      unit: '%',
      value: percent('http.layer.rate', 'http.node.rate'),
    },
    {
      what: 'hook with nothing to ask relative to node -e 0',
      bound: { most: 1.5 },
      unit: '×',
      value: ratio('hooks.quiet', 'hooks.bare'),
    },
    {
      what: 'hook that asks a stub relative to node -e 0',
      bound: { most: 2.3 },
      unit: '×',
      value: ratio('hooks.asking', 'hooks.bare'),
    },
    {
      what: 'deconflict --version relative to node -e 0',
      bound: { most: 1.6 },
      unit: '×',
      value: ratio('hooks.version', 'hooks.bare'),
    },
    {
      what: 'hook of a service that never answers, slowest',
      bound: { most: 1100 },
      unit: 'ms',
      value: highest(results, 'hooks.silent'),
      note: 'ends itself one second after its process started',
    },
    {
      what: 'soak, last minute relative to the first',
      bound: { least: 95 },
      unit: '%',
      value: soakRetention(results),
    },
    { what: 'glob intersection, mean per pair', bound: { most: 250 }, unit: 'ns', value: median('glob.own') },
    {
      what: 'glob intersection relative to refa',
      bound: { least: 50 },
      unit: '× faster',
      value: ratio('glob.refa', 'glob.own'),
    },
    {
      what: 'glob intersection, doubled lengths, worst kind',
      bound: { most: 4.5 },
      unit: '×',
      value: doublingFactor(results),
    },
    { what: 'lines of a file pair, median', bound: { most: 150 }, unit: 'µs', value: median('lines.pair') },
    {
      what: 'hostile patches, worst kind',
      bound: { most: 100 },
      unit: 'ms',
      value: highest(results, 'lines.hostile.'),
    },
    { what: 'digest of a file, mean', bound: { most: 250 }, unit: 'bytes', value: median('lines.bytes') },
    {
      what: `check of ${sizes.pulls.files} files against ${shown(sizes.pulls.open)} pull requests, by lines, p50`,
      bound: { most: 300 },
      unit: 'ms',
      value: median('pulls.lines.p50'),
    },
    {
      what: `delivery to comment, ${sizes.pulls.imported} open pull requests, p50`,
      bound: { most: 1500 },
      unit: 'ms',
      value: median('pulls.comment'),
    },
    {
      what: `delivery to comment beside an import of ${sizes.import.imported} repositories, p95`,
      bound: { most: 5000 },
      unit: 'ms',
      value: median('import.comment.p95'),
    },
    {
      what: `the same in an organisation of ${sizes.organisation.repositories} repositories, 20 deliveries/s, p95`,
      bound: { most: 5000 },
      unit: 'ms',
      value: median('organisation.import.comment.p95'),
    },
    {
      what: 'calls of that organisation that GitHub refuses',
      bound: { most: 0 },
      unit: 'calls',
      value: median('organisation.import.refused'),
    },
    {
      what: `overview of ${sizes.overview.repositories} repositories`,
      bound: { most: 300 },
      unit: 'ms',
      value: median('overview.counted'),
    },
    {
      what: `longest turn of the event loop, pull requests of ${sizes.turns.files} files`,
      bound: { most: 50 },
      unit: 'ms',
      value: highest(results, 'turns.'),
      note: 'processor time',
    },
    {
      what: 'hostile check, worst kind',
      bound: { most: 100 },
      unit: 'ms',
      value: highest(results, 'hostile.'),
    },
    {
      what: '3,000 × 3,000 plain paths',
      bound: { most: 300 },
      unit: 'ms',
      value: highest(results, 'plain.'),
    },
    {
      what: 'check relative to swarm-mail at 10,000 leases',
      bound: { least: 200 },
      unit: '×',
      value: ratio('peer.peer_check', 'peer.check'),
    },
    {
      what: 'check relative to Git LFS at 10,000 locks',
      bound: { least: 20 },
      unit: '×',
      value: quotient(median('check.busy.service.rate'), LFS.checks_per_s),
      note: 'LFS measured earlier',
    },
    {
      what: 'create relative to Git LFS at 10,000 locks',
      bound: { least: 30 },
      unit: '×',
      value: quotient(LFS.create_ms, median(`create.size.${Math.min(10_000, large)}.p50`)),
      note: 'LFS measured earlier',
    },
    {
      what: `page of ${sizes.page.live} live activities, first content`,
      bound: { most: 1000 },
      unit: 'ms',
      value: median('page.first'),
    },
    {
      what: 'page, from the commit of a change to its sight, slowest',
      bound: { most: 1000 },
      unit: 'ms',
      value: median('page.seen'),
    },
    {
      what: 'page, longest task of the main thread',
      bound: { most: 100 },
      unit: 'ms',
      value: median('page.busy'),
      note: `${shown(median('page.cpu') ?? 0)} ms of processor time`,
    },
    { what: 'page, script', bound: { most: 120 }, unit: 'kB', value: median('page.script') },
    {
      what: 'page, requests while others change records',
      bound: { most: 0 },
      unit: '',
      value: median('page.requests'),
    },
    {
      what: 'start to ready on PostgreSQL',
      bound: { most: 1000 },
      unit: 'ms',
      value: median('start.again'),
    },
    { what: 'memory when idle', bound: { most: 150 }, unit: 'MB', value: median('memory.idle') },
    {
      what: 'two instances relative to one, 32 clients',
      bound: { least: 1.6 },
      unit: '×',
      value: twoInstances(results, sizes),
    },
  ]
}

function quotient(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one / other
}

function twoInstances(results: Results, { clients }: Sizes): number | undefined {
  const most = Math.max(...clients)
  return results.ratio(`instances.mixed.${most}.two.rate`, `instances.mixed.${most}.one.rate`)
}

function denseGrowth(results: Results, { live }: Sizes): number | undefined {
  const points = live.flatMap((size) => {
    const cost = results.median(`check.dense.${size}.p50`)
    return cost === undefined ? [] : [{ size, cost }]
  })
  return points.length < 2 ? undefined : growthExponent(points)
}

function soakRetention(results: Results): number | undefined {
  const rounds = results.measures.find(({ id }) => id === 'soak.rate')?.rounds
  return rounds && ((rounds.at(-1) as number) / (rounds[0] as number)) * 100
}

function doublingFactor(results: Results): number | undefined {
  const ratios = results.measures
    .filter(({ id }) => id.startsWith('glob.hostile.') && id.endsWith('.long'))
    .map(({ id }) => results.ratio(id, id.replace(/long$/, 'short')) as number)
  return ratios.length === 0 ? undefined : Math.max(...ratios)
}

function highest(results: Results, prefix: string): number | undefined {
  const all = results.measures.filter(({ id }) => id.startsWith(prefix)).map((measure) => measure.median)
  return all.length === 0 ? undefined : Math.max(...all)
}
