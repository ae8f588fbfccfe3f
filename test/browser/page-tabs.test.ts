/** Tabs as people use them in a real browser: many at once, a sign-in that ends, a service that restarts, and blocked site data. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { BROWSER, type Desktop, startDesktop } from '../support/browser.ts'
import { type PageRepository, usePageFixture } from '../support/page-fixture.ts'

/** Longer than the pause between two polls. */
const QUIET_MS = 12_000

let repo: PageRepository

const desktop = async (options: { blocks_site_data?: boolean } = {}): Promise<Desktop> => {
  const started = await startDesktop(options)
  onTestFinished(() => started.close())
  return started
}
const row = (page: Page, title: string) => page.locator('.work-row', { hasText: title }).getByRole('button')

describe.skipIf(BROWSER === undefined)('in Chromium, the page', () => {
  const fixture = usePageFixture()
  beforeEach(() => {
    repo = fixture.repository()
  })

  test('signs all tabs in and out at once, asks only in the tab that is shown, and is up to date when it is shown', async () => {
    const { context } = await desktop()
    const [first, other] = [await context.newPage(), await context.newPage()]
    await other.goto(`${fixture.url}/#/${repo.name}`)
    await first.bringToFront()
    await fixture.open(first, repo)
    await other.bringToFront()
    await other.getByText('Live', { exact: true }).waitFor()
    await first.waitForLoadState('networkidle')
    const asked: string[] = []
    first.on('request', (request) => asked.push(request.url()))
    await repo.createActivity({ title: 'Retry payments' })
    await row(other, 'Retry payments').waitFor()
    expect(asked).toEqual([])
    await first.bringToFront()
    await row(first, 'Retry payments').waitFor()
    const later = await context.newPage()
    await later.goto(`${fixture.url}/#/${repo.name}`)
    await later.getByRole('button', { name: 'Sign out' }).click()
    for (const tab of [first, other, later]) await tab.getByLabel('GitHub token').waitFor()
  })

  test('shows the sign-in and sends nothing more when the token is not accepted any more', async () => {
    const page = await (await desktop()).context.newPage()
    await repo.createActivity({ title: 'Retry payments' })
    await fixture.open(page, repo)
    await page.evaluate("sessionStorage.setItem('deconflict-token', 'revoked')")
    await row(page, 'Retry payments').click()
    await page.getByText('GitHub does not accept this sign-in').waitFor()
    await page.getByLabel('GitHub token').waitFor()
    await page.waitForLoadState('networkidle')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await wait(QUIET_MS)
    expect(asked).toEqual([])
    await page.getByLabel('GitHub token').fill('ada')
    await page.getByRole('button', { name: 'Use token' }).click()
    await row(page, 'Retry payments').waitFor()
    expect(await page.getByText('GitHub does not accept this sign-in').count()).toBe(0)
  })

  test('keeps trying if it is opened while the service restarts', async () => {
    const page = await (await desktop()).context.newPage()
    let failures = 0
    await page.route('**/session', (route) => {
      if (++failures === 1) return route.abort('connectionrefused')
      if (failures === 2) return route.fulfill({ status: 502, body: '<html>Bad gateway</html>' })
      return route.continue()
    })
    await page.goto(`${fixture.url}/#/${repo.name}`)
    await page.getByText(/cannot be reached.* The page keeps trying\.$/).waitFor()
    await page.getByLabel('GitHub token').waitFor()
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
    await row(page, 'Retry payments').click()
    await page.getByRole('dialog').getByText('Twice.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keys' }).click()
    await page.getByRole('dialog').getByLabel('Use keys of one character').uncheck()
    await page.keyboard.press('Escape')
    await page.goto(`${fixture.url}/docs`)
    await page.getByRole('heading', { name: 'Deconflict', exact: false }).first().waitFor()
    expect(errors).toEqual([])
  })
})
