/** The repositories of a run: what they are called, and how many activities are in each. */
import type { Sizes } from './options.ts'

export interface NamedRepository {
  id: number
  owner: string
  name: string
}

export interface Names {
  /** The one of which all others are copies; nobody asks about it. */
  original: NamedRepository & { size: number }
  /** By size: one to check in. */
  live: Map<number, string>
  /** By size: some to create in, enough of them that what a run creates does not change their size much. */
  growing: Map<number, string[]>
  /** Ten activities each; those of them that are asked about. */
  fleet: string[]
  /** One with records of known numbers, for heartbeats and the like. */
  busy: NamedRepository & { size: number }
  /** As large: one in which the service creates, and one for its ceilings, which are faster. */
  created: NamedRepository
  ceiling: NamedRepository
  /** Empty ones for work that is hard to compare. */
  hostile: string
  plain: string
  webhooks: string[]
  /** Repositories in which every activity collides with four others; their ids are consecutive. */
  crowds: { size: number; repositories: NamedRepository[] }
  /** `count` repositories of `each`, whose ids go on from `first`. */
  copies: { first: number; count: number; each: number }[]
  /** All that GitHub has to know. */
  github: { id: number; full_name: string }[]
}

/** As many of a fleet as are asked about: each costs one question to GitHub. */
const ASKED_MAX = 300
/** Activities that repositories of one size, which are created in, have at least together. */
const GROWING_MIN = 2000
const WEBHOOK_REPOSITORIES = 10
/** Activities that are made one by one; more are copies of these. */
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
  const asked = Math.min(fleet, ASKED_MAX)
  const step = Math.floor(fleet / asked)
  const fleetNames = Array.from({ length: asked }, (_, at) => add(`fleet-${at}`, FLEET_ID + at * step).name)
  const crowds = Array.from({ length: sizes.crowds }, (_, at) => add(`crowd-${at}`))
  const webhooks = Array.from({ length: WEBHOOK_REPOSITORIES }, (_, at) => add(`hooks-${at}`).name)
  return {
    original,
    live: new Map(byName),
    growing: new Map(growing),
    fleet: fleetNames,
    busy,
    created: copied('created', size),
    ceiling: copied('ceiling', size),
    hostile: add('hostile').name,
    plain: add('plain').name,
    webhooks,
    crowds: { size: sizes.crowd, repositories: crowds },
    copies,
    github,
  }
}
