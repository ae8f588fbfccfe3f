/** How people use the page in a real browser: addresses, the keyboard, their own work, hot spots, and a phone. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BROWSER, seriousFaultsOn } from '../support/browser.ts'
import { editOf } from '../support/lines.ts'
import { type PageFixture, type PageRepository, startPageFixture } from '../support/page-fixture.ts'

const OPTIONS = { timeout: 60_000 }
const BASE = Array.from({ length: 200 }, (_, at) => `pay(${at})`)

let fixture: PageFixture
let repo: PageRepository
let page: Page

describe.skipIf(BROWSER === undefined)('in Chromium, the page', () => {
  beforeAll(async () => {
    fixture = await startPageFixture()
  })
  afterAll(() => fixture?.close())
  beforeEach(async () => {
    repo = fixture.repository()
    page = await fixture.newPage()
  })
  afterEach(() => page.close())

  const change = (path: string, at: number, lines: number, by: string) => {
    const added = Array.from({ length: lines }, (_, line) => `${by}(${line})`)
    return { path, patch: editOf(BASE, at, lines, added) }
  }
  /** Ada's and Ben's changes overlap in `src/retry.ts`; Cy works on a folder of it, Dee somewhere else. */
  const declareTeam = async () => ({
    ben: await repo.createActivity({
      title: 'Tidy retries',
      actor: 'Ben',
      branch: 'tidy',
      scope: { changes: [change('src/retry.ts', 40, 12, 'ben')] },
    }),
    ada: await repo.createActivity({
      title: 'Retry twice',
      actor: 'Ada',
      branch: 'retry',
      agent: 'claude-code',
      scope: { areas: ['checkout'], changes: [change('src/retry.ts', 48, 6, 'ada')] },
    }),
    cy: await repo.createActivity({
      title: 'Rename all',
      actor: 'Cy',
      branch: 'cy',
      scope: { paths: ['src/**'] },
    }),
    dee: await repo.createActivity({
      title: 'Write docs',
      actor: 'Dee',
      branch: 'docs',
      scope: { paths: ['docs/a.md'] },
    }),
  })
  const compared = () =>
    page.getByRole('heading', { name: /^\d+ live activit.*, \d+ collision/ }).waitFor(OPTIONS)
  const you = () => page.locator('section.you')
  const hashOf = () => page.evaluate('location.hash') as Promise<string>
  const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>

  test('shows the work of the reader: its collisions, on which lines, who is ahead, and what to do', async () => {
    await declareTeam()
    await fixture.open(page, repo)
    await compared()
    await you().getByRole('heading', { name: 'You' }).waitFor(OPTIONS)
    const met = you().getByRole('listitem').filter({ hasText: 'Tidy retries' }).first()
    await met.getByText('tidy began first.').waitFor(OPTIONS)
    await met.getByText('Agree with Ben on who changes what.').waitFor()
    expect(await met.locator('.strip-name').allTextContents()).toEqual(['yours', 'Ben'])
    expect(await met.locator('.strip-lines').allTextContents()).toEqual(['lines 48–53', 'lines 40–51'])
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await met.getByRole('button', { name: 'Copy a message for Ben' }).click()
    await met.getByRole('button', { name: 'Copied' }).waitFor(OPTIONS)
    const message = await page.evaluate('navigator.clipboard.readText()')
    expect(message).toMatch(
      /^Hi Ben, my “Retry twice” .* overlap in src\/retry\.ts \(lines 48–53 and 40–51\)\./,
    )
    expect(await seriousFaultsOn(page)).toEqual([])
    await page.locator('.work-row', { hasText: 'Tidy retries' }).click()
    const detail = page.getByRole('dialog')
    await detail.getByText('same lines', { exact: true }).waitFor(OPTIONS)
    expect(await detail.locator('.strip-lines').allTextContents()).toContain('lines 40–51')
  })

  test('shows the work of anyone else, or of everyone', async () => {
    await declareTeam()
    await fixture.open(page, repo)
    await compared()
    const person = page.getByLabel('Person')
    await person.selectOption('Dee')
    await you().getByText('No collisions: Write docs.').waitFor(OPTIONS)
    expect(await hashOf()).toBe(`#/${repo.name}?person=dee`)
    expect(await page.locator('.work-row').count()).toBe(1)
    await person.selectOption('everyone')
    await you().getByRole('heading', { name: 'Collisions' }).waitFor(OPTIONS)
    expect(await you().locator('.encounter').count()).toBe(3)
    await page.goBack()
    await you().getByText('No collisions: Write docs.').waitFor(OPTIONS)
  })

  test('does not call work that names no files free of collisions', async () => {
    await declareTeam()
    await repo.createActivity({ title: 'Think first', actor: 'Dee', branch: 'think' })
    await fixture.open(page, repo)
    await compared()
    await page.getByLabel('Person').selectOption('Dee')
    await you().getByText('No collisions: Write docs.').waitFor(OPTIONS)
    await you().getByText('Not compared, because no files are named: Think first.').waitFor()
  })

  test('shows where most people are, and on a click their lines on a strip of the file', async () => {
    await declareTeam()
    await fixture.open(page, repo)
    await compared()
    const spots = page.getByRole('region', { name: 'Hot spots' })
    await spots.getByRole('button', { name: /^src\/ .*3 people/ }).waitFor(OPTIONS)
    const file = spots.getByRole('button', { name: /^retry\.ts/ })
    expect(await file.getAttribute('aria-expanded')).toBe('false')
    await file.click()
    await spots.getByText('lines 40–51').waitFor(OPTIONS)
    expect(await hashOf()).toBe(`#/${repo.name}?path=src/retry.ts`)
    const widths = await spots
      .locator('.presence .strip > span')
      .evaluateAll((ranges) =>
        ranges.map((range) => Math.round((range as unknown as { offsetWidth: number }).offsetWidth)),
      )
    expect(widths).toHaveLength(2)
    // Twelve lines are twice as long as six.
    expect((widths[0] as number) / (widths[1] as number)).toBeCloseTo(2, 1)
    expect(await seriousFaultsOn(page)).toEqual([])
    await page.goBack()
    await expect.poll(() => file.getAttribute('aria-expanded'), OPTIONS).toBe('false')
  })

  test('has an address for each record and each filter, for colleagues and for back and forward', async () => {
    const ids = await declareTeam()
    await fixture.open(page, repo)
    await compared()
    await page.locator('.work-row', { hasText: 'Write docs' }).click()
    await page.getByRole('dialog').getByText('docs/a.md').waitFor(OPTIONS)
    expect(await hashOf()).toBe(`#/${repo.name}?record=${ids.dee}`)
    await page.goBack()
    await expect.poll(() => page.getByRole('dialog').count(), OPTIONS).toBe(0)
    await page.goForward()
    await page.getByRole('dialog').getByText('docs/a.md').waitFor(OPTIONS)
    await page.keyboard.press('Escape')
    await expect.poll(hashOf, OPTIONS).toBe(`#/${repo.name}`)

    await page.goto(`${fixture.url}/#/${repo.name}?record=act_none`)
    await page.getByRole('dialog', { name: 'Not available' }).getByText('does not exist').waitFor(OPTIONS)
    await page.goto(`${fixture.url}/#/${repo.name}?q=docs&record=${ids.ada}`)
    await page.getByRole('dialog').getByRole('heading', { name: 'Retry twice' }).waitFor(OPTIONS)
    expect(await page.getByRole('searchbox', { includeHidden: true }).inputValue()).toBe('docs')
    expect(await page.locator('.work-row').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByLabel('Area').selectOption('checkout')
    await page.getByRole('searchbox').fill('')
    expect(await hashOf()).toBe(`#/${repo.name}?area=checkout`)
    await page.locator('.work-row', { hasText: 'Retry twice' }).waitFor(OPTIONS)
  })

  test('is used with the keyboard: j and k move, Enter opens, ? lists the keys', async () => {
    await declareTeam()
    await fixture.open(page, repo)
    await compared()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('list the keys').waitFor(OPTIONS)
    expect(await seriousFaultsOn(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count(), OPTIONS).toBe(0)
    await page.getByRole('searchbox').fill('docs')
    await expect.poll(() => page.locator('.work-row').count(), OPTIONS).toBe(1)
    await page.locator('.work-row').focus()
    await page.keyboard.press('k')
    expect(await focused()).not.toContain('Write docs')
    await page.keyboard.press('j')
    expect(await focused()).toContain('Write docs')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('docs/a.md').waitFor(OPTIONS)
  })

  test('ignores keys of one character that the user switched off, also after a reload', async () => {
    await declareTeam()
    await fixture.open(page, repo)
    await compared()
    await page.getByRole('button', { name: 'Keys' }).click()
    await page.getByRole('dialog').getByLabel('Use keys of one character').uncheck()
    await page.keyboard.press('Escape')
    await page.reload()
    await compared()
    for (const key of ['j', 'k', '?']) await page.keyboard.press(key)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await hashOf()).toBe(`#/${repo.name}`)
    await page.getByRole('button', { name: 'Keys' }).click()
    await page.getByRole('dialog').getByLabel('Use keys of one character').check()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog').count(), OPTIONS).toBe(0)
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('list the keys').waitFor(OPTIONS)
  })

  test('shows collisions and hot spots first on a phone, within its width, with large targets', async () => {
    await declareTeam()
    const branch = 'a_branch_whose_name_is_one_word_that_is_longer_than_the_screen_of_a_phone_is_wide'
    await repo.createActivity({ title: 'Retry', actor: 'Eve', branch, scope: { paths: ['src/retry.ts'] } })
    await page.setViewportSize({ width: 390, height: 844 })
    await fixture.open(page, repo)
    await compared()
    await page.getByRole('button', { name: /^retry\.ts/ }).click()
    await page.getByText('lines 40–51').first().waitFor(OPTIONS)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    const tops = await page
      .locator('section.you, section.hot-spots, .work-row:first-child')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top))
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
    const small = await page
      .locator(
        'button:visible, select:visible, input:visible:not([type=checkbox]), a.button:visible, summary:visible',
      )
      .evaluateAll((targets) =>
        targets.filter((each) => each.getBoundingClientRect().height < 44).map((each) => each.textContent),
      )
    expect(small).toEqual([])
  })

  test('explains which token it needs, why that is safe, and how an administrator enables the sign-in', async () => {
    await page.goto(`${fixture.url}/#/${repo.name}`)
    await page.getByText('Which token, and why this is safe').click()
    await page.getByText('Metadata: read-only').waitFor(OPTIONS)
    await page.getByText('It never stores or logs it.').waitFor()
    await page
      .getByText('For administrators: to let people sign in without a token, set PUBLIC_URL')
      .waitFor()
    expect(await seriousFaultsOn(page)).toEqual([])
  })
})
