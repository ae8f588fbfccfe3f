/** Random histories: clients that act at once on one subject, and what they were answered. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, type Api, apiAt } from './api.ts'
import type { Deployment } from './deployment.ts'
import type { Permission } from './github-state.ts'
import type { GithubWorld } from './github-world.ts'
import type { Call } from './linearizable.ts'

/** `name`: the actor of an activity, whose title it is too; each has its own in a history. */
export interface Input {
  verb: 'start' | 'end' | 'read' | 'look' | 'reserve'
  name: string
}
export type Output = string | number | readonly string[]
export type History = Call<Input, Output>[]

/** The instances of the service, and the GitHub that they call. */
export interface World {
  urls: readonly string[]
  deployment: Deployment
}

type Asked = Pick<Answer, 'status' | 'body'>

export interface Client extends World {
  /** `a`, `b` or `c`. */
  letter: string
  random: () => number
  subject: number
  token: string
  /** The path of a resource in the repository of the subject. */
  at(rest: string): string
  /** Asks any instance until one answers. */
  call(
    input: Input,
    ask: (api: Api, url: string) => Promise<Asked>,
    read: (body: Answer['body']) => Output,
  ): Promise<Output>
  /** The ids of its live activities, by name. */
  own: Map<string, string>
  /** The newest shared result that it has. */
  known?: { etag: string; body: Answer['body'] }
}

export interface Promised {
  /** Each subject is a repository with an owner and users of its own. */
  is_apart?: boolean
  /** What a client does next, at random; `name` is of an activity that it may start. */
  act(client: Client, name: string): Promise<unknown>
  /** What a client asks in between, and once nothing is broken any more: what was acknowledged has to be there. */
  look?(client: Client): Promise<unknown>
  /** Rejects if something does not become true once the clients of a subject have acted. */
  settle?(world: World, subject: number): Promise<unknown>
  /** Whether the calls could have happened one after the other. */
  explains(history: History): boolean
}

/** The repository of a subject apart. */
export const nameOf = (subject: number) => `acme-${subject}/shop`
export const pathOf = (subject: number, rest: string) => `/api/v1/repos/${nameOf(subject)}${rest}`

const LETTERS = ['a', 'b', 'c']
/** How many of the steps of a client that has begun something are looks. */
const LOOKS = 0.4

function addRepository(github: GithubWorld, subject: number): void {
  github.repository({ id: 1000 + subject, full_name: nameOf(subject) })
  github.app.install({ account: `acme-${subject}` })
  for (const letter of LETTERS) grant(github, subject, letter, 'write')
}

/** Lets the user of a client do this in the repository. */
export function grant(github: GithubWorld, subject: number, letter: string, permission: Permission): void {
  const login = `${letter}-${subject}`
  const id = 10 * subject + LETTERS.indexOf(letter)
  github.token(login, { login, id, permissions: { [nameOf(subject)]: permission } })
}

function unanswered(error: Error): Asked {
  if (error instanceof TypeError) return { status: 503, body: null }
  throw error
}

/** Lets three clients act at once on one subject, each call on any of the instances, while something breaks. */
export async function record(
  { is_apart = false, act, look }: Promised,
  given: { subject: number; world: World; random: () => number; broken: Promise<unknown> },
): Promise<History> {
  const { subject, world, random, broken } = given
  const history: History = []
  const asked = world.urls.map((url) => ({ url, api: apiAt(url, 'ada') }))
  if (is_apart) addRepository(world.deployment.github, subject)
  const call: Client['call'] = async (input, ask, read) => {
    const from = performance.now()
    for (;;) {
      const { api, url } = asked[Math.floor(random() * asked.length)] as (typeof asked)[number]
      const { status, body } = await ask(api, url).catch(unanswered)
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
  const clients = LETTERS.map((letter) => ({
    ...{ ...world, letter, random, subject, call },
    token: is_apart ? `${letter}-${subject}` : 'ada',
    at: (rest: string) => (is_apart ? pathOf(subject, rest) : rest),
    own: new Map<string, string>(),
  }))
  const allActs = clients.map(async (client) => {
    for (let step = 0; step < 5; step += 1)
      if (look && client.own.size > 0 && random() < LOOKS) await look(client)
      else await act(client, `${client.letter}${step}`)
  })
  await Promise.all([...allActs, broken])
  await look?.(clients[0] as Client)
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
