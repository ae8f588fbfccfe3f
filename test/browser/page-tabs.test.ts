/** Tabs as people use them in a real browser: many at once, a sign-in that ends, a service that restarts, and blocked site data. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { BROWSER, type Desktop, startDesktop } from '../support/browser.ts'
import { scrape } from '../support/metrics.ts'
import { type PageFixture, type PageRepository, startPageFixture } from '../support/page-fixture.ts'

const OPTIONS = { timeout: 60_000 }
/** Chromium opens six connections to one host over HTTP/1.1. */
const TABS = 7
/** Longer than the first retries of an event stream and of a load. */
const QUIET_MS = 8000

let fixture: PageFixture
let repo: PageRepository

const desktop = async (options: { blocks_site_data?: boolean } = {}): Promise<Desktop> => {
  const started = await startDesktop(options)
  onTestFinished(() => started.close())
  return started
}
const bar = (page: Page, title: string) => page.locator('.bar', { hasText: title })

describe.skipIf(BROWSER === undefined)('in Chromium, the page', () => {
  beforeAll(async () => {
    fixture = await startPageFixture()
  })
  afterAll(() => fixture?.close())
  beforeEach(() => {
    repo = fixture.repository()
  })

  const openStreams = async () => (await scrape(fixture.url)).value('deconflict_open_pages')

  test('works in seven tabs at once, with one event stream, and is up to date in the tab that is shown', async () => {
    const { context } = await desktop()
    const tabs: Page[] = []
    for (let count = 0; count < TABS; count += 1) {
      const tab = await context.newPage()
      await fixture.open(tab, repo)
      tabs.push(tab)
    }
    await expect.poll(openStreams, OPTIONS).toBe(1)
    const [first, ...others] = tabs as [Page, ...Page[]]
    await first.bringToFront()
    // The tab that was shown last ends its first load.
    await Promise.all(others.map((tab) => tab.waitForLoadState('networkidle')))
    const asked: string[] = []
    for (const [index, tab] of others.entries())
      tab.on('request', (request) => asked.push(`tab ${index}: ${request.url()}`))
    await repo.createActivity({ title: 'Retry payments' })
    await bar(first, 'Retry payments').waitFor(OPTIONS)
    await first.getByText('Live', { exact: true }).waitFor(OPTIONS)
    await repo.createActivity({ title: 'Tidy payments' })
    await bar(first, 'Tidy payments').waitFor(OPTIONS)
    expect(asked).toEqual([])
  })

  test('shows the sign-in and sends nothing more when the token is not accepted any more', async () => {
    const { context } = await desktop()
    const page = await context.newPage()
    await repo.createActivity({ title: 'Retry payments' })
    await fixture.open(page, repo)
    await page.evaluate("sessionStorage.setItem('deconflict-token', 'revoked')")
    await bar(page, 'Retry payments').click()
    await page.getByText('GitHub does not accept this sign-in').waitFor(OPTIONS)
    await page.getByLabel('GitHub token').waitFor(OPTIONS)
    await page.waitForLoadState('networkidle')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await wait(QUIET_MS)
    expect(asked).toEqual([])
    await page.getByLabel('GitHub token').fill('ada')
    await page.getByRole('button', { name: 'Use token' }).click()
    await bar(page, 'Retry payments').waitFor(OPTIONS)
    expect(await page.getByText('GitHub does not accept this sign-in').count()).toBe(0)
  })

  test('shows the sign-in when its event stream is not accepted any more', async () => {
    const { context } = await desktop()
    const page = await context.newPage()
    await fixture.open(page, repo)
    await page.evaluate("sessionStorage.removeItem('deconflict-token')")
    await page.route('**/api/**', (route) => route.abort())
    const other = await context.newPage()
    await expect.poll(openStreams, OPTIONS).toBe(0)
    await page.bringToFront()
    await page.getByText('GitHub does not accept this sign-in').waitFor(OPTIONS)
    await other.close()
  })

  test('keeps trying if it is opened while the service restarts', async () => {
    const { context } = await desktop()
    const page = await context.newPage()
    let failures = 0
    await page.route('**/session', (route) => {
      failures += 1
      if (failures === 1) return route.abort('connectionrefused')
      if (failures === 2) return route.fulfill({ status: 502, body: '<html>Bad gateway</html>' })
      return route.continue()
    })
    await page.goto(`${fixture.url}/#/${repo.name}`)
    await page.getByText(/cannot be reached.* The page keeps trying\.$/).waitFor(OPTIONS)
    await page.getByLabel('GitHub token').waitFor(OPTIONS)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('works where the browser blocks site data, until it is reloaded', async () => {
    const { context } = await desktop({ blocks_site_data: true })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await repo.createActivity({ title: 'Retry payments' })
    await fixture.open(page, repo)
    expect(await page.evaluate("try { localStorage; '' } catch (error) { error.name }")).toBe('SecurityError')
    await bar(page, 'Retry payments').click()
    await page.getByRole('dialog').getByText('Twice.').waitFor(OPTIONS)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keys' }).click()
    await page.getByRole('dialog').getByLabel('Use keys of one character').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('o')
    expect(await page.evaluate('location.hash')).toBe(`#/${repo.name}`)
    await page.goto(`${fixture.url}/docs`)
    await page.getByRole('heading', { name: 'Deconflict', exact: false }).first().waitFor(OPTIONS)
    expect(errors).toEqual([])
  })
})
