/** The signal report on the page in a real browser. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { BROWSER, faultsOn } from '../support/browser.ts'
import { type PageRepository, useTabs } from '../support/page-fixture.ts'
import { SIGNAL } from '../support/page-records.ts'

const REPORT = '**/signal'
const HOSTILE = '<img src=x onerror="document.title=1">'

let repo: PageRepository
let page: Page
/** Requests for the report. */
let reports: number

describe.skipIf(BROWSER === undefined)('in Chromium, the page', () => {
  const fixture = useTabs((tab, repository) => {
    page = tab
    repo = repository
    reports = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/signal')) reports += 1
    })
  })

  const open = async () => {
    await fixture.open(page, repo)
    await page.getByRole('link', { name: 'Signal' }).click()
  }
  const card = () => page.getByRole('region', { name: 'What became of the warnings' })
  const answer = (report: object) => page.route(REPORT, (route) => route.fulfill({ json: report }))
  const figures = (name: string) => card().getByRole('row', { name }).getByRole('cell').allTextContents()

  test.each(['light', 'dark'] as const)('shows the report, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    await answer(SIGNAL)
    await open()
    await card().waitFor()
    expect(await figures('Pairs shown')).toEqual(['3', '13'])
    expect(await figures('Merged while they conflicted')).toEqual(['0', '3'])
    expect(await figures('Comments edited')).toEqual(['1', '7'])
    expect(await figures('Thumbs up')).toEqual(['1', '3'])
    await card().getByText('The budget is not in force: 11 %').waitFor()
    await card().getByRole('heading', { name: 'What would have been shown' }).waitFor()
    await card().getByText('ada, would be shown').waitFor()
    const link = card().getByRole('link', { name: '#15' })
    expect(await link.getAttribute('href')).toBe('https://github.com/acme/shop/pull/15')
    expect(await faultsOn(page)).toEqual([])
  })

  test('says why it has no report', async () => {
    await page.route(REPORT, (route) => route.fulfill({ status: 500, body: 'Broken' }))
    await open()
    await page.getByRole('alert').getByText('answered with status 500').waitFor()
  })

  test('shows hostile text as text, and when the budget is in force', async () => {
    const budget = { share: 0.2, limit: 0.15, in_force: true }
    const [pair] = SIGNAL.recent
    const side = { pr_url: 'javascript:alert(1)', branch: null, author: HOSTILE, shown_at: null }
    const branch = { ...side, pr_url: null, branch: HOSTILE }
    const files = [{ path: HOSTILE, line_ranges: [null, null] }]
    await answer({ ...SIGNAL, mode: 'on', budget, recent: [{ ...pair, sides: [side, branch], files }] })
    await open()
    await card().getByText('The budget is in force: 20 %').waitFor()
    await card().getByRole('heading', { name: 'Shown last' }).waitFor()
    expect(await card().locator('img, a').count()).toBe(0)
    expect(await card().getByText(HOSTILE).count()).toBe(4)
  })

  test('requests the report once when it is opened, then once a minute, however much changes', async () => {
    await page.clock.install()
    await answer(SIGNAL)
    const id = await repo.createActivity({})
    await open()
    await card().waitFor()
    for (let beat = 0; beat < 3; beat += 1) {
      await repo.request('POST', `/activity/${id}/heartbeat`)
      await repo.createActivity({ branch: `b${beat}` })
      await page.clock.runFor(10_000)
    }
    expect(reports).toBe(1)
    await page.clock.fastForward(60_000)
    await expect.poll(() => reports).toBe(2)
  })
})
