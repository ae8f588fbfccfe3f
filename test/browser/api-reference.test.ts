/** The API reference at /docs in a real browser: desktop, phone and dark mode. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/vocabulary/contract/contract.ts'
import { BROWSER, faultsOn, startBrowser } from '../support/browser.ts'
import { fakeGithub } from '../support/github.ts'
import { startTestService, type TestService } from '../support/service.ts'

describe.skipIf(BROWSER === undefined)('in Chromium, the API reference', () => {
  const github = fakeGithub()
  let service: TestService
  let browser: Browser

  beforeAll(async () => {
    service = await startTestService({ token: 'ada' })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
    github.close()
  })

  /** Opens the reference. `faults`: what its policy blocks, and errors of its script. */
  async function open(options: Parameters<Browser['newContext']>[0]) {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const requests: string[] = []
    const faults: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    page.on('pageerror', ({ message }) => faults.push(message))
    await page.goto(`${service.url}/docs`)
    await page.getByRole('heading', { name: 'Deconflict', level: 1 }).waitFor()
    return { page, requests, faults }
  }
  const DESKTOP = { viewport: { width: 1300, height: 900 } }

  describe.each([
    ['on a desktop', DESKTOP],
    ['on a phone', { viewport: { width: 360, height: 800 } }],
  ])('%s', (_, options) => {
    let opened: Awaited<ReturnType<typeof open>>
    beforeAll(async () => {
      opened = await open(options)
    })
    afterAll(() => opened.page.context().close())

    test('sends no request to another origin', async () => {
      await opened.page.waitForLoadState('networkidle')
      const remote = opened.requests.filter((url) => !url.startsWith('data:') && !url.startsWith(service.url))
      expect(remote).toEqual([])
      expect(opened.requests).toContain(`${service.url}/api/v1/openapi.json`)
    })

    test('works under its policy', () => {
      expect(opened.faults).toEqual([])
    })

    test('is as wide as its window', async () => {
      expect(await opened.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    })

    test('passes axe, except for the order of the headings that Redoc writes', async () => {
      const faults = await faultsOn(opened.page)
      expect(faults.filter((fault) => !fault.startsWith('heading-order: '))).toEqual([])
    })
  })

  test('shows every operation', async () => {
    const { page } = await open(DESKTOP)
    const headings = await page.getByRole('heading').allTextContents()
    const shown = new Set(headings.map((heading) => heading.trim()))
    const missing = Object.values(OPERATIONS).filter(({ summary }) => !shown.has(summary))
    expect(missing).toEqual([])
    await page.context().close()
  })

  test('is dark where that is preferred', async () => {
    const { page } = await open({ ...DESKTOP, colorScheme: 'dark' })
    expect(await page.evaluate('getComputedStyle(document.documentElement).filter')).toContain('invert')
    await page.context().close()
  })
})
