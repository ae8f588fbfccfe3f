/** The page at /docs in a real browser: desktop, phone, dark mode, keyboard and print. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, startBrowser } from '../support/browser.ts'
import { fakeGithub } from '../support/github.ts'
import { startTestService, type TestService } from '../support/service.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(BROWSER === undefined)('in Chromium, the documentation', () => {
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

  async function open(options: Parameters<Browser['newContext']>[0]): Promise<Page> {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(`${service.url}/docs`)
    return page
  }
  /** By how many pixels the page is wider than its window. */
  const overflow = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth')

  test.each([
    ['on a desktop', { viewport: { width: 1300, height: 900 } }],
    ['in the dark', { viewport: { width: 1300, height: 900 }, colorScheme: 'dark' as const }],
    ['on a phone', { viewport: { width: 360, height: 800 } }],
  ])('loads only its own files, fits, and passes axe %s', async (_, options) => {
    const page = await open(options)
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await page.reload()
    expect(loaded.sort()).toEqual([`${service.url}/docs`, `${service.url}/docs/style.css`])
    expect(await overflow(page)).toBe(0)
    await page.evaluate(AXE)
    const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] }
    expect(violations.map(({ id }) => id)).toEqual([])
    await page.context().close()
  })

  test('lets a keyboard user skip the contents, and go from the contents to an operation', async () => {
    const page = await open({ viewport: { width: 1300, height: 900 } })
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    await page.getByRole('link', { name: 'Check for overlap' }).focus()
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { name: 'Check for overlap' })
    expect((await heading.boundingBox())?.y).toBeLessThan(100)
    await page.context().close()
  })

  test('prints dark text on a light background, without the contents', async () => {
    const page = await open({ colorScheme: 'dark', viewport: { width: 800, height: 1000 } })
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await page.locator('nav').isVisible()).toBe(false)
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(28, 36, 48)')
    expect(await overflow(page)).toBe(0)
    await page.context().close()
  })
})
