/** How the page refreshes in a real browser: under load, with a filter, and when the service fails. */
import { gzipSync } from 'node:zlib'
import type { Page, Route } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BROWSER } from '../support/browser.ts'
import { editOf } from '../support/lines.ts'
import { type PageRepository, repeatedly, useTabs } from '../support/page-fixture.ts'

let repo: PageRepository
let page: Page

describe.skipIf(BROWSER === undefined)('in Chromium, the page', () => {
  const fixture = useTabs((tab, repository) => {
    page = tab
    repo = repository
  })

  const row = (title: string) => page.locator('.work-row', { hasText: title })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })

  test('shows the newest of 150 activities under constant heartbeats before their collisions are known, with at most 60 kB of compressed script', async () => {
    const bytes: number[] = []
    page.on('response', async (response) => {
      if (response.url().endsWith('.js')) bytes.push(gzipSync(await response.body()).length)
    })
    const ids = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        repo.createActivity({
          actor: ['Ben', 'Cy'][index % 2],
          branch: `b${index}`,
          scope: { paths: [`m${index % 149}/**`] },
        }),
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
    await heading('Comparing …').waitFor()
    expect(await page.locator('.work-row').count()).toBe(5)
    await page.getByRole('button', { name: '145 more' }).waitFor()
    expect(bytes.length).toBeGreaterThan(0)
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(60_000)
    isHolding = false
    expect(held).toHaveLength(1)
    // A change during the read neither aborts it nor gets lost.
    await repo.createActivity({ branch: 'late', scope: { paths: ['late/**'] } })
    await Promise.all(held.map((route) => route.continue()))
    await heading('1 pair may overlap.').waitFor()
    await page.getByText('151 live activities').waitFor()
    await page.getByRole('button', { name: '146 more' }).click()
    const row = 'document.activeElement.closest(".work-row") !== null'
    await expect.poll(() => page.evaluate(row)).toBe(true)
    expect(aborted).toEqual([])
  })

  test('shows pairs that only change the same file as one line', async () => {
    const file = Array.from({ length: 120 }, (_, at) => `const value${at} = read(${at})`)
    for (const at of [10, 100]) {
      const changes = [{ path: 'a.ts', patch: editOf(file, at, 1, ['changed()']) }]
      await repo.createActivity({ branch: `at-${at}`, title: `Edit ${at}`, scope: { changes } })
    }
    await fixture.open(page, repo)
    await heading('No pair needs anybody.').waitFor()
    await page.getByText('1 pair shares a file; git merges them').click()
    await page.locator('details.same-file').getByText('Edit 100').waitFor()
  })

  test('shows that it is out of date and since when, and recovers by itself', async () => {
    await repo.createActivity({ title: 'Retry payments' })
    await fixture.open(page, repo)
    await heading('No pair needs anybody.').waitFor()
    const failing = '**/activity?limit=100*'
    await page.route(failing, (route) =>
      route.fulfill({
        status: 503,
        json: { error: { type: 'service_unavailable', message: 'The database does not answer.' } },
      }),
    )
    await repo.createActivity({ title: 'Tidy payments' })
    const alert = page.getByRole('alert')
    await alert
      .getByText(/^Out of date: last refreshed at \d.*\. .* Reason: The database does not answer\./)
      .waitFor()
    await page.unroute(failing)
    await expect.poll(() => alert.count()).toBe(0)
  })

  test('does not close another record that was opened while it waited for an archive', async () => {
    for (const title of ['Retry payments', 'Tidy payments'])
      await repo.createActivity({ title, actor: 'Ada' })
    await fixture.open(page, repo)
    await row('Retry payments').getByRole('button').click()
    const held: Route[] = []
    await page.route('**/merge-order', (route) => void held.push(route))
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await expect.poll(() => held.length).toBe(1)
    await page.keyboard.press('Escape')
    await row('Tidy payments').getByRole('button').click()
    await dialog.getByRole('heading', { name: 'Tidy payments' }).waitFor()
    await held[0]?.continue()
    // The next read begins after the one that the archive waits for.
    await page.waitForRequest('**/overlaps')
    expect(await dialog.getByRole('heading', { name: 'Tidy payments' }).count()).toBe(1)
  })

  test('asks nothing else while nothing has changed, and shows changes by others when it has', async () => {
    const id = await repo.createActivity({
      title: 'Retry payments',
      actor: 'Ada',
      scope: { paths: ['src/**'] },
    })
    await fixture.open(page, repo)
    await heading('No pair needs anybody.').waitFor()
    await page.waitForLoadState('networkidle')
    const answers: string[] = []
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname.startsWith('/api/') && !pathname.endsWith('/signal'))
        answers.push(`${response.status()} ${pathname.split('/').at(-1)}`)
    })
    await expect.poll(() => answers.slice(-2)).toEqual(['304 overlaps', '304 overlaps'])
    const other = await repo.createActivity({ title: 'Tidy payments', scope: { paths: ['src/a.ts'] } })
    await heading('1 pair may overlap.').waitFor()
    await row('Tidy payments').waitFor()
    await repo.request('PATCH', `/activity/${id}`, { body: { title: 'Retry twice' } })
    await row('Retry twice').waitFor()
    await repo.request('POST', `/activity/${other}/archive`)
    await heading('No pair needs anybody.').waitFor()
  })

  test('names the part that could not be loaded, and loads it when the user retries', async () => {
    await repo.createActivity({ title: 'Retry payments' })
    await fixture.open(page, repo)
    await page.route('**/overlaps', (route) => route.abort())
    await page.reload()
    await heading('The overlaps are not known.').waitFor()
    await page.getByRole('alert').getByText('Not everything could be loaded.').waitFor()
    await page.unroute('**/overlaps')
    await page.getByRole('button', { name: 'Try now' }).click()
    await heading('No pair needs anybody.').waitFor()
  })
})
