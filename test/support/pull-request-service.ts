/** Repositories with the App installed, one for each test: drives them through GitHub's side and reads what was published. */
import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { pairs } from '../../src/server/tell/table.ts'
import { HOUR_MS } from '../../src/vocabulary/clock.ts'
import { type AppService, type AppServiceOptions, useAppService } from './app-service.ts'
import type { FakeGithub } from './github.ts'
import type { FileGiven, PullGiven } from './github-repository.ts'
import { timestamp } from './github-state.ts'
import { testRepository } from './repository.ts'
import { useEach } from './use-started.ts'
import { type PullEvent, pullRequestEvent, pushEvent } from './webhooks.ts'

/** The least time between two publications to one pull request. */
export const QUIET_MS = 30_000

export type TrackedRepository = ReturnType<typeof trackedRepository>

const COUNT = 60
/**
 * The id sets the second of the hour in which a repository is reconciled. Those of these have just passed, so that a test meets the next
 * reconciliation when it advances the clock by an hour, whatever the time of day.
 */
const FIRST_ID = 36_000 + (Math.floor(Date.now() / 1000) % 3600) - COUNT

/** GitHub's clock before the first event of a repository. */
const EPOCH_MS = Date.now() - HOUR_MS

/** Starts the service before the tests of a file, gives each test a repository, and closes the service at the end. */
export function usePullRequests(options: AppServiceOptions & { settings?: string } = {}) {
  const { github, service } = useAppService(options)
  const fresh = trackedRepositories(github, service)
  const another = (settings = options.settings) => {
    // The fake GitHub uses the real clock.
    service.clock.now = new Date()
    return fresh(settings)
  }
  const repository = useEach(() => another())
  /** Gives the current test another repository, with this settings file, which the service reads with the first event. */
  const useSettings = (settings: string) => void Object.assign(repository, another(settings))
  return { github, service, another, repository, useSettings }
}

/**
 * Returns a function that returns another repository at each call, with this settings file. Each is in an organization of its own, so
 * that the pacing of writes in one does not delay the other.
 */
export function trackedRepositories(github: FakeGithub, service: AppService) {
  const names = Array.from({ length: COUNT }, (_, index) => `org-${index}/shop`)
  github.repositories(names, FIRST_ID)
  github.users(names, { ada: 'admin' })
  let next = 0
  return (settings?: string) => {
    const full_name = names[next]
    if (full_name === undefined) throw new Error(`more than ${COUNT} repositories in one test file`)
    next += 1
    if (settings !== undefined) github.at(full_name).write('.github/deconflict.yml', settings)
    return trackedRepository({ github, service, full_name, id: FIRST_ID + next - 1 })
  }
}

/** A pair of #1 for the ledger, last changed and first found `at` this time. */
export function storedPair(repo_id: number, b: string, at: Date) {
  const side = { author: null, active_at: at.toISOString(), head: null }
  const found = { consequence: 'conflict' as const, files: [], seen_at: at }
  return { repo_id, a: '#1', b, sides: { a: side, b: side }, ...found }
}

function trackedRepository(given: {
  github: FakeGithub
  service: AppService
  full_name: string
  id: number
}) {
  const { github, service, full_name, id } = given
  const repository = testRepository(service, id, full_name)
  const githubRepo = github.at(full_name)
  const installation = github.app.install({ repositories: [full_name] })
  const runDueJobs = async () => {
    const failed = await service.runDueJobs()
    expect(failed).toEqual([])
  }
  let authors = 0
  let seconds = 0
  const below = `/repos/${full_name}`
  /** All requests of the App that GitHub received for this repository. */
  const calls = () =>
    github
      .requests(`* ${below}*`)
      .filter(({ token }) => token !== 'ada')
      .map(({ route }) => route.replace(below, ''))
  /** Delivers an event of a pull request and runs the due jobs. */
  const deliver = (number: number, event: PullEvent) =>
    service.deliverAndRun(pullRequestEvent(github, full_name, number, event))
  /** Delivers a push and runs the due jobs. */
  const deliverPush = (push: Parameters<typeof pushEvent>[2]) =>
    service.deliverAndRun(pushEvent(github, full_name, push))
  /** Opens a pull request, by another author each time, and delivers the event; returns its number. */
  const open = async (pull: PullGiven = {}) => {
    authors += 1
    const { number } = githubRepo.open({ files: ['src/pay.ts'], author: `author-${authors}`, ...pull })
    await deliver(number, 'opened')
    return number
  }
  return {
    ...repository,
    githubRepo,
    installation,
    /** The event of a pull request in its current state. GitHub's clock has seconds and advances by one, or is set to `at_s`. */
    event(number: number, event: PullEvent, at_s?: number) {
      seconds += 1
      githubRepo.pull(number).updated_at = timestamp(new Date(EPOCH_MS + (at_s ?? seconds) * 1000))
      return pullRequestEvent(github, full_name, number, event)
    },
    /** The live activities that were created from pull requests. */
    tracked: async () => (await repository.list()).filter(({ source }) => source === 'pull_request'),
    /** Creates an activity and runs the due jobs; returns its id. `body` overrides the default fields. */
    async createActivity(body: object = {}): Promise<string> {
      const scope = { paths: ['src/pay.ts'] }
      const created = await repository.createActivity({ branch: 'retries', scope, ...body })
      await runDueJobs()
      return created
    },
    /** Creates a notable and runs the due jobs; returns its id. */
    async createNotable(body: object = {}): Promise<string> {
      const created = await repository.createNotable({ importance: 'medium', ...body })
      await runDueJobs()
      return created
    },
    open,
    /** Opens a pull request of the branch `head`, by an author of its own. */
    openBranch: (head: string, ...files: FileGiven[]) =>
      open({ title: `Edit in ${head}`, head, author: `author-of-${head}`, files }),
    deliver,
    deliverPush,
    async merge(number: number) {
      githubRepo.merge(number)
      await deliver(number, 'closed')
    },
    async close(number: number) {
      githubRepo.close(number)
      await deliver(number, 'closed')
    },
    /** Pushes a commit to a pull request and delivers the event. `files` replaces its changed files. */
    async push(number: number, files: FileGiven[]) {
      const push = githubRepo.pushTo(number)
      githubRepo.update(number, { files })
      await deliver(number, { action: 'synchronize', push })
    },
    /** Writes a file of the default branch, or deletes it, and delivers the push. Returns the commit. */
    async writeFile(path: string, text: string | null) {
      const push = githubRepo.write(path, text)
      await deliverPush({ ...push, [text === null ? 'removed' : 'modified']: [path] })
      return push.after
    },
    /** Advances the clock and runs the due jobs. */
    async advance(ms: number) {
      service.clock.advance(ms)
      await runDueJobs()
    },
    /** The text of the App's comment; undefined if there is none. Two comments fail the test. */
    comment(number: number) {
      const own = githubRepo.comments(number).filter(({ app }) => app === github.app.slug)
      expect(own.length).toBeLessThan(2)
      return own[0]?.body
    },
    /** The ledger. */
    pairs: () => service.db.select().from(pairs).where(eq(pairs.repo_id, id)).orderBy(pairs.a, pairs.b),
    /** The write requests that GitHub received for this repository, such as `PATCH /issues/comments/17`. */
    writes: () => calls().filter((route) => !route.startsWith('GET ')),
    calls,
  }
}
