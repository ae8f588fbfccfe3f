/** The overview of repositories in a real browser. */
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BROWSER, faultsOn } from '../support/browser.ts'
import { type PageRepository, usePageFixture } from '../support/page-fixture.ts'

let quiet: PageRepository
let colliding: PageRepository
let page: Page

describe.skipIf(BROWSER === undefined)('in Chromium, the overview', () => {
  const fixture = usePageFixture()
  beforeAll(async () => {
    quiet = fixture.repository()
    colliding = fixture.repository()
    await quiet.createActivity({ branch: 'a', scope: { paths: ['docs/**'] } })
    for (const branch of ['a', 'b'])
      await colliding.createActivity({ actor: branch, branch, blocking: true, scope: { paths: ['src/**'] } })
  })
  beforeEach(async () => {
    page = await fixture.newPage()
  })
  afterEach(() => page.close())

  const open = async (hash: string) => {
    await page.goto(`${fixture.url}/${hash}`)
    await page.getByLabel('GitHub token').fill('ada\u200b ')
    await page.getByRole('button', { name: 'Use token' }).click()
  }
  const rows = () => page.locator('.repository')

  test('lists the repositories with live work, those that need attention first, also on a phone, and opens one', async () => {
    await open('#/')
    await page.getByRole('heading', { name: '2 with live work, 3 activities. 1 pair may overlap.' }).waitFor()
    expect(await page.locator('.repository-name').allTextContents()).toEqual([colliding.name, quiet.name])
    await rows().first().getByText('possible overlap 1').waitFor()
    await rows().first().getByText('2 activities').waitFor()
    await rows().nth(1).getByText('clear').waitFor()
    expect(await faultsOn(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    for (const row of await rows().all()) expect((await row.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '1 pair may overlap.' }).waitFor()
    await page.goBack()
    await rows().first().waitFor()
  })

  test('is limited by a search and by an owner, which are in its address', async () => {
    await open('#/')
    await rows().first().waitFor()
    await page.getByRole('searchbox').fill(quiet.name.slice('acme/'.length))
    await expect.poll(() => rows().count()).toBe(1)
    expect(await page.evaluate('location.hash')).toBe(`#/?q=${quiet.name.slice('acme/'.length)}`)
    await page.goto(`${fixture.url}/#/acme`)
    await expect.poll(() => rows().count()).toBe(2)
    await page.goto(`${fixture.url}/#/globex`)
    await page.getByText('No repository with live work matches.').waitFor()
  })

  test('shows what to do when it is empty', async () => {
    await page.route('**/api/v1/repos', (route) => route.fulfill({ json: { items: [], complete: true } }))
    await open('#/')
    await page.getByText('Nothing is open in the repositories that you can see.').waitFor()
    await page.getByText('deconflict start').waitFor()
  })
})
