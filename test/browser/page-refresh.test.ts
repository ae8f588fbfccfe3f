/** How the page refreshes in a real browser: under load, with a filter, and when the service fails. */
import type { Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { BROWSER } from '../support/browser.ts'
import {
  type PageFixture,
  type PageRepository,
  repeatedly,
  startPageFixture,
} from '../support/page-fixture.ts'

const OPTIONS = { timeout: 60_000 }
const MINUTE_MS = 60_000

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

  const bar = (title: string) => page.locator('.bar', { hasText: title })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })

  test('shows 400 activities under constant heartbeats before their collisions are known', async () => {
    const ids = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        repo.createActivity({ branch: `b${index}`, scope: { paths: [`m${index % 399}/**`] } }),
      ),
    )
    const held: Route[] = []
    let isHolding = true
    await page.route('**/overlaps', (route) => {
      if (!isHolding) return route.continue()
      held.push(route)
    })
    const aborted: string[] = []
    page.on('requestfailed', (request) => {
      if (!request.url().includes('.png')) aborted.push(request.url())
    })
    let beat = 0
    onTestFinished(repeatedly(() => repo.request('POST', `/activity/${ids[beat++ % ids.length]}/heartbeat`)))

    await fixture.open(page, repo)
    await heading('400 live activities, comparing …').waitFor(OPTIONS)
    expect(await page.locator('.bar').count()).toBe(60)

    // A change during the load neither aborts it nor gets lost.
    const announced = await repo.nextAnnouncement()
    await repo.createActivity({ branch: 'late', scope: { paths: ['late/**'] } })
    await announced()
    isHolding = false
    expect(held).toHaveLength(1)
    await Promise.all(held.map((route) => route.continue()))
    await heading('401 live activities, 1 collision').waitFor(OPTIONS)
    expect(aborted).toEqual([])
  })

  test('shows a collision when one side passes the filter, and marks the other side', async () => {
    await repo.createActivity({
      title: 'Retry payments',
      actor: 'Ada',
      branch: 'a',
      scope: { paths: ['src/**'] },
    })
    await repo.createActivity({
      title: 'Tidy payments',
      actor: 'Ben',
      branch: 'b',
      scope: { paths: ['src/x.ts'] },
    })
    await repo.createActivity({
      title: 'Write docs',
      actor: 'Ada',
      branch: 'c',
      scope: { paths: ['docs/**'] },
    })
    await fixture.open(page, repo)
    await heading('3 live activities, 1 collision').waitFor(OPTIONS)
    expect(await page.locator('.outside').count()).toBe(0)
    await page.getByRole('searchbox').fill('ben')
    await heading('1 live activity, 1 collision').waitFor(OPTIONS)
    expect(await page.locator('.links path').count()).toBe(1)
    expect(await page.locator('.bar').count()).toBe(2)
    expect(await page.locator('.bar.outside').textContent()).toMatch(/Retry payments.*outside the filter$/)
  })

  test('begins each bar at the time when its work began, however short it is', async () => {
    const minutes = { a: 100, b: 18, c: 0 }
    for (const title of Object.keys(minutes))
      await repo.createActivity({ title: `Work ${title}`, branch: title })
    await page.route('**/activity?limit=100*', async (route) => {
      const response = await route.fetch()
      const now_ms = Date.parse(response.headers().date as string)
      const { items, next_cursor } = (await response.json()) as {
        items: { title: string; created_at: string }[]
        next_cursor: null
      }
      for (const item of items) {
        const ago = minutes[item.title.at(-1) as keyof typeof minutes]
        item.created_at = new Date(now_ms - ago * MINUTE_MS).toISOString()
      }
      await route.fulfill({ response, json: { items, next_cursor } })
    })
    await fixture.open(page, repo)
    await bar('Work c').waitFor(OPTIONS)

    const xOf = async (selector: string) => (await page.locator(selector).boundingBox())?.x as number
    const now_x = await xOf('.tick >> nth=-1')
    const hour_x = await xOf('.tick >> nth=-3')
    const labels = await page.locator('.axis span').allTextContents()
    expect(labels.slice(-3)).toEqual(['1 h ago', '30 min ago', 'now'])
    for (const [title, ago] of Object.entries(minutes)) {
      const extent = await bar(`Work ${title}`).locator('.extent').boundingBox()
      const label = await bar(`Work ${title}`).locator('.title').boundingBox()
      const start_x = now_x - ((now_x - hour_x) * ago) / 60
      expect(Math.abs((extent?.x ?? 0) - start_x)).toBeLessThan(2)
      expect(extent?.width).toBeGreaterThanOrEqual(6)
      expect(label?.width).toBeGreaterThan(20)
    }
  })

  test('shows that it is out of date and since when, and recovers by itself', async () => {
    await repo.createActivity({ title: 'Retry payments' })
    await fixture.open(page, repo)
    await heading('1 live activity, 0 collisions').waitFor(OPTIONS)
    const failing = '**/activity?limit=100*'
    await page.route(failing, (route) =>
      route.fulfill({
        status: 503,
        json: { error: { type: 'service_unavailable', message: 'The database does not answer.' } },
      }),
    )
    await repo.createActivity({ title: 'Tidy payments' })
    await bar('Tidy payments').waitFor(OPTIONS)
    // The page reads its lists after a change by its own user.
    await bar('Tidy payments').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    const alert = page.getByRole('alert')
    await alert
      .getByText(/^Out of date: last refreshed at \d.*\. .* Reason: The database does not answer\./)
      .waitFor(OPTIONS)
    await page.unroute(failing)
    await expect.poll(() => alert.count(), OPTIONS).toBe(0)
  })

  test('shows changes by others without a request', async () => {
    const id = await repo.createActivity({
      title: 'Retry payments',
      actor: 'Ada',
      scope: { paths: ['src/**'] },
    })
    await fixture.open(page, repo)
    await heading('1 live activity, 0 collisions').waitFor(OPTIONS)
    await page.getByText('No active notables.').waitFor(OPTIONS)
    const asked: string[] = []
    page.on('request', (request) => {
      // The signal report has its own pace.
      if (request.url().includes('/api/') && !request.url().endsWith('/signal')) asked.push(request.url())
    })
    const other = await repo.createActivity({ title: 'Tidy payments', scope: { paths: ['src/a.ts'] } })
    await heading('2 live activities, 1 collision').waitFor(OPTIONS)
    await bar('Tidy payments').waitFor(OPTIONS)
    await repo.request('PATCH', `/activity/${id}`, { body: { title: 'Retry twice' } })
    await bar('Retry twice').waitFor(OPTIONS)
    await repo.request('POST', '/notables', {
      body: { title: 'Frozen', summary: 'Until Friday.', importance: 'high', category: 'migration' },
    })
    await page.getByRole('region', { name: 'Important notables' }).getByText('Frozen').waitFor(OPTIONS)
    await repo.request('POST', `/activity/${other}/archive`)
    await heading('1 live activity, 0 collisions').waitFor(OPTIONS)
    expect(asked).toEqual([])
  })

  test('names the part that could not be loaded, and loads it when the user retries', async () => {
    await repo.createActivity({ title: 'Retry payments' })
    await fixture.open(page, repo)
    await page.route('**/overlaps', (route) => route.abort())
    await page.reload()
    await heading('1 live activity, collisions unknown').waitFor(OPTIONS)
    await page.getByRole('alert').getByText('Not everything could be loaded.').waitFor(OPTIONS)
    await page.getByRole('status').getByText('Out of date').waitFor(OPTIONS)
    await page.unroute('**/overlaps')
    await page.getByRole('button', { name: 'Try now' }).click()
    await heading('1 live activity, 0 collisions').waitFor(OPTIONS)
  })
})
