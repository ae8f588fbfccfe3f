/** The repositories of a run: their names, and how many activities each has. */
import type { Sizes } from './options.ts'

export interface NamedRepository {
  id: number
  owner: string
  name: string
}

export interface Names {
  /** The one that all others are copied from; no request uses it. */
  original: NamedRepository & { size: number }
  /** By size: one for checks. */
  live: Map<number, string>
  /** By size: several for creates, so that a run does not change the size of any of them much. */
  growing: Map<number, string[]>
  /** Those of the fleet, with ten activities each, that requests use. */
  fleet: string[]
  /** One with predictable record ids, for heartbeats and retrievals. */
  busy: NamedRepository & { size: number }
  /** As large: one for creates by the service, and one for creates by the baselines. */
  created: NamedRepository
  baseline: NamedRepository
  /** Empty ones, for scopes that are expensive to compare and for webhooks. */
  hostile: string
  plain: string
  webhooks: string[]
  /** One with activities of all kinds of scopes, for checks that overlap with a few of them. */
  mix: NamedRepository & { size: number }
  /** Empty ones, for open pull requests that are seeded and for those that are delivered. */
  pulls: NamedRepository
  commented: NamedRepository
  /** Repositories in which every activity collides with four others; their ids are consecutive. */
  crowds: { size: number; repositories: NamedRepository[] }
  /** `count` repositories of `each` activities, with consecutive ids from `first`. */
  copies: { first: number; count: number; each: number }[]
  /** All repositories that the GitHub stub serves. */
  github: { id: number; full_name: string }[]
}

/** Repositories of the fleet that requests use; each costs a permission lookup. */
const FLEET_USED_MAX = 300
/** Minimum total of activities in the repositories of one size for creates. */
const GROWING_MIN = 2000
const WEBHOOK_REPOSITORIES = 10
/** Activities that are created one by one; further ones are copies. */
const ORIGINAL_MAX = 10_000
const FLEET_ID = 1_000_000

export function names(sizes: Pick<Sizes, 'live' | 'fleet' | 'crowds' | 'crowd'>): Names {
  const { live, fleet } = sizes
  const github: Names['github'] = []
  const copies: Names['copies'] = []
  let next_id = 1
  const add = (name: string, id = next_id++): NamedRepository => {
    github.push({ id, full_name: `acme/${name}` })
    return { id, owner: 'acme', name }
  }
  const copied = (name: string, each: number) => {
    const repository = add(name)
    copies.push({ first: repository.id, count: 1, each })
    return repository
  }
  const most = Math.max(...live)
  const size = Math.min(most, ORIGINAL_MAX)
  const original = { ...add('original'), size }
  const byName = live.map((each) => [each, copied(`live-${each}`, each).name] as const)
  const growing = live.map((each) => {
    const count = Math.ceil(GROWING_MIN / each)
    const some = Array.from({ length: count }, (_, at) => copied(`growing-${each}-${at}`, each).name)
    return [each, some] as const
  })
  const busy = { ...copied('busy', size), size }
  copies.push({ first: FLEET_ID, count: fleet, each: 10 })
  const used = Math.min(fleet, FLEET_USED_MAX)
  const step = Math.floor(fleet / used)
  const fleetNames = Array.from({ length: used }, (_, at) => add(`fleet-${at}`, FLEET_ID + at * step).name)
  const crowds = Array.from({ length: sizes.crowds }, (_, at) => add(`crowd-${at}`))
  const webhooks = Array.from({ length: WEBHOOK_REPOSITORIES }, (_, at) => add(`hooks-${at}`).name)
  return {
    original,
    live: new Map(byName),
    growing: new Map(growing),
    fleet: fleetNames,
    busy,
    created: copied('created', size),
    baseline: copied('baseline', size),
    hostile: add('hostile').name,
    plain: add('plain').name,
    webhooks,
    mix: { ...add('mix'), size },
    pulls: add('pulls'),
    commented: add('commented'),
    crowds: { size: sizes.crowd, repositories: crowds },
    copies,
    github,
  }
}
