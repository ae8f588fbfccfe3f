/** Promises of docs/reliability.md as models, and random clients that record what they were answered. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, type Api, apiAt } from './api.ts'
import { type Call, isLinearizable, type Model } from './linearizable.ts'

/** `name`: the actor of an activity, whose title it is too; each has its own in a history. */
interface Input {
  verb: 'start' | 'end' | 'read' | 'look' | 'reserve'
  name: string
}
type Output = string | number | readonly string[]
export type History = Call<Input, Output>[]

interface Client {
  random: () => number
  subject: number
  /** Asks any instance until one answers. */
  call(
    input: Input,
    ask: (api: Api) => Promise<Answer>,
    read: (body: Answer['body']) => Output,
  ): Promise<Output>
  /** The ids of its live activities, by name. */
  own: Map<string, string>
}

export interface Promised {
  /** What a client does next, at random; `name` is of an activity that it may start. */
  act(client: Client, name: string): Promise<unknown>
  /** Whether the calls could have happened one after the other. */
  explains(history: History): boolean
}

/** Some clients send the request twice at once, as after a lost answer. */
async function start({ call, own, subject, random }: Client, name: string, more: object): Promise<void> {
  const headers = { 'Idempotency-Key': `${subject}-${name}` }
  const body = { title: name, summary: 'At random.', actor: name, ...more }
  const create = () =>
    call(
      { verb: 'start', name },
      (api) => api('POST', '/activity', { headers, body }),
      ({ activity }) => activity.id,
    )
  const [id] = await Promise.all(random() < 0.3 ? [create(), create()] : [create()])
  own.set(name, String(id))
}

async function end({ call, own }: Client): Promise<void> {
  const [name, id] = [...own][0] as [string, string]
  own.delete(name)
  await call(
    { verb: 'end', name },
    (api) => api('POST', `/activity/${id}/archive`),
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
    if (verb === 'end') return Object.fromEntries(Object.entries(state).filter(([each]) => each !== name))
    const number = state[name] ?? Math.max(0, ...Object.values(state)) + 1
    return output === number ? { ...state, [name]: number } : undefined
  },
}

export const PROMISES: Record<string, Promised> = {
  'an acknowledged record is found by every check, and a key makes one record': {
    act(client, name) {
      const { call, own, subject, random } = client
      const scope = { paths: [`work/${subject}.ts`] }
      const roll = random()
      if (roll < 0.35 || own.size === 0) return start(client, name, { scope })
      if (roll < 0.55) return end(client)
      const [mine = '', id] = [...own][0] ?? []
      if (roll < 0.65)
        return call(
          { verb: 'read', name: mine },
          (api) => api('GET', `/activity/${id}`),
          ({ status }) => status,
        )
      return call(
        { verb: 'look', name: '' },
        (api) => api('POST', '/activity/check', { body: { scope } }),
        ({ matches }) => matches.map(({ actor }: { actor: string }) => actor).sort(),
      )
    },
    explains: (history) => isLinearizable(history, records),
  },
  'exactly one activity holds an issue, and the others follow in their order': {
    act(client, name) {
      const { call, own, subject, random } = client
      const roll = random()
      if (roll < 0.4 || own.size === 0) return start(client, name, { issue: subject })
      if (roll < 0.65) return end(client)
      return call(
        { verb: 'look', name: '' },
        (api) => api('GET', `/issues/${subject}`),
        ({ holder, others }) => [holder, ...others].flatMap((each) => each?.actor ?? []),
      )
    },
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
}

function unanswered(error: Error): Pick<Answer, 'status' | 'body'> {
  if (error instanceof TypeError) return { status: 503, body: null }
  throw error
}

/** Lets three clients act at once on one subject, each call on any of the instances. */
export async function record(
  { act }: Promised,
  { subject, urls, random }: { subject: number; urls: readonly string[]; random: () => number },
): Promise<History> {
  const history: History = []
  const apis = urls.map((url) => apiAt(url, 'ada'))
  const call: Client['call'] = async (input, ask, read) => {
    const from = performance.now()
    for (;;) {
      const { status, body } = await ask(apis[Math.floor(random() * apis.length)] as Api).catch(unanswered)
      // An end that was not answered may have happened.
      if (status < 300 || (status === 409 && input.verb === 'end')) {
        const output = read(body)
        history.push({ input, output, from, to: performance.now() })
        return output
      }
      if (status !== 503 && status !== 409) throw new Error(`${input.verb}: ${JSON.stringify(body)}`)
      await wait(20)
    }
  }
  const one = async (letter: string) => {
    const client: Client = { random, subject, call, own: new Map() }
    for (let step = 0; step < 5; step += 1) await act(client, `${letter}${step}`)
  }
  await Promise.all(['a', 'b', 'c'].map(one))
  return history
}

export function textOf(history: History): string {
  return history
    .map(
      ({ input: { verb, name }, output, from, to }) =>
        `${from.toFixed(1)}–${to.toFixed(1)} ${verb} ${name} → ${output}`,
    )
    .join('\n')
}
