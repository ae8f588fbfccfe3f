/** Tabs as people use them in a real browser: many at once, a sign-in that ends, a service that restarts, and blocked site data. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { BROWSER, type Desktop, startDesktop } from '../support/browser.ts'
import { type PageFixture, type PageRepository, startPageFixture } from '../support/page-fixture.ts'

const OPTIONS = { timeout: 60_000 }

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
    await page.goto(`${fixture.url}/docs`)
    await page.getByRole('heading', { name: 'Deconflict', exact: false }).first().waitFor(OPTIONS)
    expect(errors).toEqual([])
  })
})
