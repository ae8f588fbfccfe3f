/** The built service with its own database, and a real browser, for tests of the page. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect } from 'vitest'
import { startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { type Api, apiAt } from './api.ts'
import { patient, startBrowser } from './browser.ts'
import { startBuiltService } from './built-service.ts'
import { useStarted } from './use-started.ts'

const REPOSITORIES = 20

export type PageRepository = ReturnType<PageFixture['repository']>
export type PageFixture = Awaited<ReturnType<typeof startPageFixture>>

/** Who creates the activities of the actors of these names. */
const LOGINS = ['ada', 'ben', 'cy', 'dee']

/** Starts it before the tests of a suite, and closes it at the end. */
export const usePageFixture = () => useStarted(startPageFixture, (fixture) => fixture.close?.())

/** As `usePageFixture`, and hands each test a new tab and another repository. */
export function useTabs(hand: (page: Page, repo: PageRepository) => void): PageFixture {
  const fixture = usePageFixture()
  let page: Page
  beforeEach(async () => {
    page = await fixture.newPage()
    hand(page, fixture.repository())
  })
  afterEach(() => page.close())
  return fixture
}

async function startPageFixture() {
  const names = Array.from({ length: REPOSITORIES }, (_, index) => `acme/r${index}`)
  const server = await startFakeGithubServer()
  server.github.repositories(names, 100)
  server.github.users(names, Object.fromEntries(LOGINS.map((login) => [login, 'write' as const])))
  const service = await startBuiltService({}, { github: server })
  const browser = await startBrowser()
  const api = apiAt(service.url, 'ada')
  return {
    url: service.url,
    /** Returns another empty repository at each call, with write access for Ada. */
    repository() {
      const name = names.shift()
      if (name === undefined) throw new Error(`more than ${REPOSITORIES} repositories in one test file`)
      /** Below the repository: `request('GET', '/activity')`. */
      const request: Api = (method, path, options) => api(method, `/api/v1/repos/${name}${path}`, options)
      return {
        name,
        request,
        /** Creates an activity and returns its id; `body` overrides the default fields. */
        async createActivity(body: object): Promise<string> {
          const activityBody = { title: 'Retry payments', summary: 'Twice.', actor: 'Ben', ...body }
          const token = LOGINS.find((login) => login === activityBody.actor.toLowerCase()) ?? 'ada'
          const { status, body: created } = await request('POST', '/activity', { token, body: activityBody })
          expect(status).toBe(201)
          return created.activity.id
        },
      }
    },
    newPage: async () => patient(await browser.newPage({ viewport: { width: 1400, height: 900 } })),
    /** Opens a repository as Ada, who signs in with her token. */
    async open(page: Page, { name }: { name: string }) {
      await page.goto(`${service.url}/#/${name}`)
      await page.getByLabel('GitHub token').fill('ada')
      await page.getByRole('button', { name: 'Use token' }).click()
      await page.getByText('Live', { exact: true }).waitFor()
    },
    async close() {
      await browser.close()
      await service.close()
    },
  }
}

/** Repeats `work` until the returned function is called, which waits for the last run. */
export function repeatedly(work: () => Promise<unknown>): () => Promise<void> {
  let isStopped = false
  const running = (async () => {
    while (!isStopped) {
      await work()
      await wait(0)
    }
  })()
  return async () => {
    isStopped = true
    await running
  }
}
