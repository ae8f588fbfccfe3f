/** The promises of docs/reliability.md, as models. */
import { GITHUB_PROMISES } from './github-promises.ts'
import type { Client, Input, Output, Promised } from './histories.ts'
import { isLinearizable, type Model } from './linearizable.ts'

/** Some clients send the request twice at once, as after a lost answer. */
async function start(client: Client, name: string, more: object): Promise<void> {
  const { call, own, subject, random, at, token } = client
  const headers = { 'Idempotency-Key': `${subject}-${name}` }
  const body = { title: name, summary: 'At random.', actor: name, ...more }
  const create = () =>
    call(
      { verb: 'start', name },
      (api) => api('POST', at('/activity'), { token, headers, body }),
      ({ activity }) => activity.id,
    )
  const [id] = await Promise.all(random() < 0.3 ? [create(), create()] : [create()])
  own.set(name, String(id))
}

async function end({ call, own, at, token }: Client): Promise<void> {
  const [name, id] = [...own][0] as [string, string]
  own.delete(name)
  await call(
    { verb: 'end', name },
    (api) => api('POST', at(`/activity/${id}/archive`), { token }),
    () => 'archived',
  )
}

const isSame = (a: readonly string[], b: Output) => JSON.stringify(a) === JSON.stringify(b)

type Records = Record<string, { id: Output; is_live: boolean }>
const records: Model<Records, Input, Output> = {
  initial: {},
  next(state, { verb, name }, output) {
    const known = state[name]
    const live = Object.keys(state).filter((each) => state[each]?.is_live)
    if (verb === 'look') return isSame(live.sort(), output) ? state : undefined
    if (verb === 'read') return known?.is_live === (output === 'active') ? state : undefined
    if (verb === 'end') return known && { ...state, [name]: { ...known, is_live: false } }
    if (known) return known.id === output ? state : undefined
    return { ...state, [name]: { id: output, is_live: true } }
  },
}

/** The activities that came to an issue, in their order. */
const places: Model<{ name: string; is_live: boolean }[], Input, Output> = {
  initial: [],
  next(state, { verb, name }, output) {
    if (verb === 'end') return state.map((each) => (each.name === name ? { name, is_live: false } : each))
    if (verb === 'start')
      return state.some((each) => each.name === name) ? state : [...state, { name, is_live: true }]
    const live = state.filter(({ is_live }) => is_live).map((each) => each.name)
    return isSame(live, output) ? state : undefined
  },
}

const numbers: Model<Record<string, number>, Input, Output> = {
  initial: {},
  next(state, { verb, name }, output) {
    if (verb === 'start') return state
    const { [name]: own, ended = 0, ...others } = state
    if (verb === 'end') return { ...others, ended: Math.max(ended, own ?? 0) }
    const next = Math.max(0, ...Object.values(others)) + 1
    // One that runs while work ends may come after its number.
    const given = own ?? Math.min(Math.max(Number(output), next), Math.max(next, ended + 1))
    return output === given ? { ...state, [name]: given } : undefined
  },
}

/** The live activities. */
const alive: Model<Record<string, Output>, Input, Output> = {
  initial: {},
  next(state, { verb, name }, output) {
    const { [name]: known = output, ...others } = state
    if (verb === 'end') return others
    if (verb === 'start') return known === output ? { ...others, [name]: output } : undefined
    const names = Object.keys(state)
    // Of two clients, each of which is an author.
    const pairs = names.flatMap((one) =>
      names.filter((other) => one.charAt(0) < other.charAt(0)).map((other) => [one, other]),
    )
    const ids = pairs.map((pair) =>
      pair
        .map((each) => state[each])
        .sort()
        .join(' '),
    )
    return isSame(ids.sort(), output) ? state : undefined
  },
}

async function lookAtOverlaps(client: Client): Promise<unknown> {
  const { call, at, token } = client
  return call(
    { verb: 'look', name: '' },
    async (api) => {
      const headers: Record<string, string> = client.known ? { 'If-None-Match': client.known.etag } : {}
      const { status, body, headers: answered } = await api('GET', at('/overlaps'), { token, headers })
      if (status === 200) client.known = { etag: answered.get('etag') as string, body }
      return status === 304 ? { status: 200, body: client.known?.body } : { status, body }
    },
    ({ items }) =>
      items
        .filter(({ same_author }: { same_author: boolean }) => !same_author)
        .map(({ activity_ids }: { activity_ids: string[] }) => activity_ids.sort().join(' '))
        .sort(),
  )
}

export const PROMISES: Record<string, Promised> = {
  'an acknowledged record is found by every check, and a key makes one record': {
    act(client, name) {
      const { call, own, random } = client
      const roll = random()
      if (roll < 0.6 || own.size === 0) return start(client, name, { scope: scopeOf(client) })
      if (roll < 0.8) return end(client)
      const [mine = '', id] = [...own][0] ?? []
      return call(
        { verb: 'read', name: mine },
        (api) => api('GET', `/activity/${id}`),
        ({ status }) => status,
      )
    },
    look: (client) =>
      client.call(
        { verb: 'look', name: '' },
        (api) => api('POST', '/activity/check', { body: { scope: scopeOf(client) } }),
        ({ matches }) => matches.map(({ actor }: { actor: string }) => actor).sort(),
      ),
    explains: (history) => isLinearizable(history, records),
  },
  'exactly one activity holds an issue, and the others follow in their order': {
    act(client, name) {
      const { own, subject, random } = client
      return random() < 0.6 || own.size === 0 ? start(client, name, { issue: subject }) : end(client)
    },
    look: ({ call, subject }) =>
      call(
        { verb: 'look', name: '' },
        (api) => api('GET', `/issues/${subject}`),
        ({ holder, others }) => [holder, ...others].flatMap((each) => each?.actor ?? []),
      ),
    explains: (history) => isLinearizable(history, places),
  },
  'a number is given once, and it is the next one': {
    act(client, name) {
      const { call, own, subject, random } = client
      if (own.size === 0) return start(client, name, {})
      if (random() < 0.4) return end(client)
      const [mine = '', id] = [...own][0] ?? []
      return call(
        { verb: 'reserve', name: mine },
        (api) => api('POST', `/activity/${id}/number`, { body: { directory: `${subject}/migrations` } }),
        ({ number }) => Number(number),
      )
    },
    explains: (history) => isLinearizable(history, numbers),
  },
  'a shared result is from before no change': {
    is_apart: true,
    act: (client, name) =>
      client.random() < 0.6 || client.own.size === 0
        ? start(client, name, { scope: { paths: ['src/pay.ts'] } })
        : end(client),
    look: lookAtOverlaps,
    explains: (history) => isLinearizable(history, alive),
  },
  ...GITHUB_PROMISES,
}

const scopeOf = ({ subject }: Client) => ({ paths: [`work/${subject}.ts`] })
