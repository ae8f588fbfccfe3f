/** Organisations in which the app is installed, one for each test, with short ways to make things happen there and to read what people are told. */
import { expect, onTestFinished } from 'vitest'
import { getCurrentTest } from 'vitest/suite'
import type { Config } from '../../src/base/config.ts'
import type { AppService } from './app-service.ts'
import { startAppService } from './app-service.ts'
import type { FakeGithub } from './github.ts'
import type { Desk, FileGiven, PullGiven } from './github-desk.ts'
import type { Installation } from './github-state.ts'
import type { Answer, RequestOptions } from './service.ts'
import { type PullAction, type PullDetails, pullRequestEvent, pushEvent } from './webhooks.ts'

/** A pull request is written to at most this often. */
export const QUIET_MS = 30_000

export interface Shop {
  id: number
  full_name: string
  desk: Desk
  installation: Installation
  /** Below the repository, as Ada, who may write: `ask('GET', '/settings')`. */
  ask(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** Declares work and carries out what follows; answers its id. `body` goes over a branch and a scope. */
  work(body?: Record<string, unknown>): Promise<string>
  /** Raises a notable and carries out what follows; answers its id. */
  note(body?: Record<string, unknown>): Promise<string>
  /** Somebody opens a pull request, and GitHub tells of it. Answers its number. */
  open(pull?: PullGiven): Promise<number>
  /** GitHub tells of what became of a pull request. */
  tell(number: number, given: PullAction | ({ action: PullAction } & PullDetails)): Promise<void>
  /** A new commit on a pull request, with all the files that it changes from then on. */
  push(number: number, files: FileGiven[]): Promise<void>
  /** Puts a text into a file of the default branch, or takes the file away, and GitHub tells of the push. Answers the commit. */
  write(path: string, text: string | null): Promise<string>
  /** Time passes, and what is due then is carried out. */
  pass(ms: number): Promise<void>
  /** The text of the app's comment on a pull request; undefined while there is none. Two of them fail the test. */
  comment(number: number): string | undefined
  /** The writing requests that GitHub has had for this repository, as `PATCH /issues/comments/17`. */
  writes(): string[]
  /** All requests that GitHub has had for this repository. */
  calls(): string[]
}

export interface ToldService {
  service: AppService
  /** Carries out what is due and waits for what runs, also for a job that has asked for its next run already. Answers what failed. */
  rest(): ReturnType<AppService['settle']>
  /** A repository of an organisation of its own, so that no test waits for the pace at which the app writes in another. */
  shop(): Shop
}

const COUNT = 60
const FIRST_ID = 5000

export async function startToldService(
  github: FakeGithub,
  options: { config?: Partial<Config> } = {},
): Promise<ToldService> {
  const names = Array.from({ length: COUNT }, (_, index) => `org-${index}/shop`)
  for (const [index, full_name] of names.entries()) github.repository({ id: FIRST_ID + index, full_name })
  const permissions = Object.fromEntries(names.map((name) => [name, 'write' as const]))
  github.token('ada', { login: 'ada', id: 1, permissions })
  const service = await startAppService(github, options)
  const rest: ToldService['rest'] = async () => {
    let failed = await service.settle()
    while ((await service.jobs()).some(({ leased_until }) => leased_until !== null)) {
      failed = await service.settle()
    }
    return failed
  }
  // A lease is over when the clock is moved: nothing may run then.
  await rest()
  let next = 0
  return {
    service,
    rest,
    shop() {
      const full_name = names[next]
      if (full_name === undefined) throw new Error(`more than ${COUNT} repositories in one test file`)
      next += 1
      if (getCurrentTest()) onTestFinished(service.reset)
      // GitHub dates what happens by the real clock.
      service.clock.now = new Date()
      return shopOf({ github, service, full_name, id: FIRST_ID + next - 1 })
    },
  }
}

function shopOf(given: { github: FakeGithub; service: AppService; full_name: string; id: number }): Shop {
  const { github, service, full_name, id } = given
  const desk = github.at(full_name)
  const installation = github.app.install({ repositories: [full_name] })
  const settle = async () => {
    const failed = await service.settle()
    expect(failed).toEqual([])
  }
  const ask: Shop['ask'] = (method, path, options) =>
    service.api(method, `/api/v1/repos/${full_name}${path}`, options)
  const created = async (path: string, body: object): Promise<Answer['body']> => {
    const answer = await ask('POST', path, { body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    await settle()
    return answer.body
  }
  const below = `/repos/${full_name}`
  const calls = () =>
    github
      .asked(`* ${below}*`)
      .filter(({ token }) => token !== 'ada')
      .map(({ route }) => route.replace(below, ''))
  const tell: Shop['tell'] = (number, event) =>
    service.play(pullRequestEvent(github, full_name, number, event))
  return {
    id,
    full_name,
    desk,
    installation,
    ask,
    async work(body) {
      const scope = { paths: ['src/pay.ts'] }
      const work = {
        title: 'Retry payments',
        summary: 'Retries twice.',
        actor: 'Ben',
        branch: 'retries',
        scope,
      }
      return (await created('/activity', { ...work, ...body })).activity.id
    },
    async note(body) {
      const note = {
        title: 'Tills are frozen',
        summary: 'Until Friday.',
        importance: 'medium',
        category: 'warning',
      }
      return (await created('/notables', { ...note, ...body })).id
    },
    async open(pull) {
      const { number } = desk.open({ files: ['src/pay.ts'], ...pull })
      await tell(number, 'opened')
      return number
    },
    tell,
    async push(number, files) {
      const push = desk.pushTo(number)
      desk.update(number, { files })
      await tell(number, { action: 'synchronize', push })
    },
    async write(path, text) {
      const push = desk.write(path, text)
      await service.play(
        pushEvent(github, full_name, { ...push, [text === null ? 'removed' : 'modified']: [path] }),
      )
      return push.after
    },
    async pass(ms) {
      service.clock.advance(ms)
      await settle()
    },
    comment(number) {
      const own = desk.comments(number).filter(({ app }) => app === github.app.slug)
      expect(own.length).toBeLessThan(2)
      return own[0]?.body
    },
    writes: () => calls().filter((route) => !route.startsWith('GET ')),
    calls,
  }
}
