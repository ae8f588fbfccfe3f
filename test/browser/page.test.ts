/** The page in a real browser, on two instances of the built service. */
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { apiAt } from '../support/api.ts'
import { BROWSER, faultsOn, patient, startBrowser } from '../support/browser.ts'
import { editOf } from '../support/lines.ts'
import { listen } from '../support/listen.ts'
import { freePort } from '../support/postgres.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { useDatabase } from '../support/use-deployment.ts'

const HOSTILE = '<img src=x onerror="document.title=1"> [x](javascript:alert(1)) **b** @everyone'

let github: FakeGithubServer
let githubWeb: Awaited<ReturnType<typeof listen>>
let first: ServiceProcess
let second: ServiceProcess
let browser: Browser
let context: BrowserContext
let page: Page
/** Requests of the page to other hosts, and violations of its policy. */
let strayed: string[]

describe.skipIf(BROWSER === undefined)('in Chromium, the page', () => {
  const database = useDatabase()
  beforeAll(async () => {
    github = await startFakeGithubServer({
      repositories: [
        { id: 7, full_name: 'acme/shop' },
        { id: 8, full_name: 'acme/quiet' },
      ],
      users: [
        { token: 'ada', login: 'ada', id: 1, permissions: { 'acme/shop': 'admin', 'acme/quiet': 'write' } },
        { token: 'rita', login: 'rita', id: 2, permissions: { 'acme/shop': 'read' } },
      ],
    })
    githubWeb = await startGithubWeb()
    const environment = {
      DATABASE_URL: database.database_url,
      GITHUB_API_URL: github.url,
      GITHUB_WEB_URL: githubWeb.url,
      GITHUB_CLIENT_ID: 'Iv1.abc',
      GITHUB_CLIENT_SECRET: 'hush',
      RATE_LIMIT_PER_MINUTE: '1000000',
    }
    const port = await freePort()
    first = await startProcess({ ...environment, PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` })
    second = await startProcess({ ...environment, PUBLIC_URL: first.url })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([first, second].map((service) => service?.kill('SIGTERM')))
    await githubWeb?.close()
    await github?.close()
  })
  beforeEach(async () => {
    context = patient(await browser.newContext({ viewport: { width: 1400, height: 900 } }))
    page = await context.newPage()
    strayed = []
    page.on('request', (request) => {
      // Pictures of people come from GitHub.
      const isAvatar = request.url().startsWith(`${githubWeb.url}/ada.png`)
      if (!isAvatar && !request.url().startsWith(first.url)) strayed.push(request.url())
    })
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) strayed.push(message.text())
    })
  })
  afterEach(() => context.close())

  const open = async (token: string, repository = 'acme/shop') => {
    await page.goto(`${first.url}/#/${repository}`)
    await page.getByLabel('Or use a GitHub token').fill(token)
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
  }
  const declare = async (body: object) => {
    const activityBody = { summary: 'In short.', actor: 'Ben', base_branch: 'main', ...body }
    const answer = await apiAt(second.url, 'ada')('POST', '/activity', { body: activityBody })
    expect(answer.status).toBe(201)
    return answer.body.activity.id as string
  }
  const row = (title: string) => page.locator('.work-row', { hasText: title }).getByRole('button')
  const headline = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

  test('signs people in through GitHub, keeps them signed in, and signs them out', async () => {
    await page.goto(`${first.url}/?problem=constructor#/acme/shop`)
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('link', { name: 'Sign in with GitHub' }).click()
    await page.getByRole('heading', { name: 'acme/shop' }).waitFor()
    await page.getByText('ada', { exact: true }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in with GitHub' }).waitFor()
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('deconflict_session')
  })

  test('shows a collision that appears on another instance, and its end when one side is archived', async () => {
    const ended = await declare({
      title: 'Retry payments',
      branch: 'retries',
      scope: { areas: ['checkout'], paths: ['src/pay/**'] },
    })
    await open('ada')
    await row('Retry payments').waitFor()
    await headline('No pair needs anybody.')
    await declare({ title: 'Tidy payments', branch: 'tidy', scope: { paths: ['src/**/tidy.ts'] } })
    await headline('1 pair may overlap.')
    await page.getByRole('region', { name: 'Your own' }).waitFor()
    await page.getByRole('button', { name: 'src/pay/tidy.ts' }).first().waitFor()
    await row('Tidy payments').click()
    const detail = page.getByRole('dialog')
    await detail.getByRole('heading', { name: 'Overlaps with' }).waitFor()
    await detail.getByRole('button', { name: /Retry payments/ }).waitFor()
    await detail.getByRole('button', { name: 'Archive' }).click()
    await headline('No pair needs anybody.')
    // The focused element was removed with the record.
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await row('Retry payments').click()
    await detail.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('No work is announced in acme/shop').waitFor()
    await detail.waitFor({ state: 'hidden' })
    expect(strayed).toEqual([])
    await page.getByLabel('Repository', { exact: true }).fill('shop')
    await page.locator('#repository:invalid').waitFor()
    await page.goto(`${first.url}/#/acme/shop?record=${ended}`)
    await detail.getByText('archived, risk low').waitFor()
    expect(await detail.getByText('Expires in').count()).toBe(0)
  })

  test('shows the merge order of pull requests that conflict, and only of those', async () => {
    const base = Array.from({ length: 60 }, (_, at) => `pay(${at})`)
    const urlOf = (number: number) => `${githubWeb.url}/acme/shop/pull/${number}`
    const begin = (number: number, pr_url: string | null = urlOf(number)) =>
      declare({
        title: `Work ${number}`,
        branch: `b${number}`,
        pr_url,
        scope: { changes: [{ path: 'src/pay.ts', patch: editOf(base, 40, 1, [`text${number}()`]) }] },
      })
    const ids = [await begin(12), await begin(13, null)]
    await open('ada')
    await headline('1 pair will conflict.')
    const card = page.getByRole('region', { name: 'Merge order' })
    expect(await card.count()).toBe(0)
    ids.push(await begin(14))
    await card.getByText('1 conflict: #14; 2 changed lines', { exact: true }).waitFor()
    expect(await card.getByRole('listitem').allTextContents()).toEqual([
      '1#12Work 121 conflict: #14; 2 changed lines',
      '2#14Work 141 conflict: #12; 2 changed lines',
    ])
    expect(await card.getByRole('link', { name: '#12' }).getAttribute('href')).toBe(urlOf(12))
    expect(await faultsOn(page)).toEqual([])
    await card.getByRole('button', { name: /Work 14/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await expect.poll(() => card.count()).toBe(0)
    for (const id of ids.slice(0, 2)) await apiAt(second.url, 'ada')('POST', `/activity/${id}/archive`)
  })

  test('creates a notable, shows why the service rejects one, and archives it', async () => {
    await open('ada')
    await page.getByRole('link', { name: 'Notables' }).click()
    await page.getByRole('button', { name: 'New notable' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Title').fill('Migrations are frozen')
    await form.getByLabel('Summary').fill('Until Friday.')
    await form.getByLabel('Category').selectOption('temporary-workaround')
    await form.getByLabel('Paths, one per line').fill('../db')
    await form.getByRole('button', { name: 'Create notable' }).click()
    await form.getByRole('alert').getByText('scope.paths[0]').waitFor()
    await form.getByLabel('Paths, one per line').fill('db/{a,b}/**\n sql')
    const loseAnswer = async (route: Route) => {
      if (route.request().method() === 'POST') await route.fetch()
      await route.abort()
    }
    await page.route('**/notables', loseAnswer)
    await form.getByRole('button', { name: 'Create notable' }).click()
    await form.getByRole('alert').getByText('cannot be reached').waitFor()
    await page.unroute('**/notables', loseAnswer)
    await form.getByRole('button', { name: 'Create notable' }).click()
    await page.getByRole('button', { name: 'Migrations are frozen' }).click()
    await page.getByRole('dialog').getByText('temporary-workaround').waitFor()
    expect(await page.getByRole('dialog').locator('dd code').allTextContents()).toEqual([
      'db/{a,b}/**',
      'sql',
    ])
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await page.getByText('No active notables.').waitFor()
  })

  test('hides actions that need write access from readers', async () => {
    const id = await declare({ title: 'Look only', branch: 'look', scope: { paths: ['a'] } })
    await open('rita')
    await row('Look only').click()
    await page.getByRole('dialog').getByText('In short.').waitFor()
    expect(await page.getByRole('button', { name: 'Archive' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    for (const [view, name] of [
      ['Notables', 'New notable'],
      ['Signal', 'Leave this repository'],
    ] as const) {
      await page.getByRole('link', { name: view }).click()
      await page.getByRole('heading', { name: view === 'Signal' ? 'What became' : view }).waitFor()
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
    await apiAt(second.url, 'ada')('POST', `/activity/${id}/archive`)
  })

  test('leaves a repository for somebody with admin permission who confirms it', async () => {
    await open('ada')
    await page.getByRole('link', { name: 'Signal' }).click()
    page.once('dialog', (dialog) => dialog.accept())
    await page.getByRole('button', { name: 'Leave this repository' }).click()
    await page.getByText('Everything is edited.').waitFor()
    await page.getByText('because the repository was left').waitFor()
  })

  // Threat: Markup in titles and names
  test('shows hostile text as text', async () => {
    const id = await declare({
      title: HOSTILE,
      actor: HOSTILE.slice(0, 100),
      branch: 'x',
      scope: { paths: ['<b>/x'] },
    })
    await open('ada')
    await row(HOSTILE).click()
    await page.getByRole('dialog').getByRole('heading', { name: HOSTILE }).waitFor()
    expect(await page.locator('img[src="x"], main b').count()).toBe(0)
    expect(await page.title()).toBe('acme/shop · Deconflict')
    expect(strayed).toEqual([])
    await apiAt(second.url, 'ada')('POST', `/activity/${id}/archive`)
  })

  test('shows that there is more than it lists, and that a permission is missing', async () => {
    await open('ada', 'acme/quiet')
    await page.goto(`${first.url}/#/acme/secret`)
    await page.getByRole('heading', { name: 'You cannot see this repository' }).waitFor()
    const json = { items: [], next_cursor: 'next' }
    await page.route('**/activity?limit=100*', (route) => route.fulfill({ json }))
    await page.goto(`${first.url}/#/acme/quiet`)
    await page.getByText('more records than the page can show').waitFor()
  })
})

/** GitHub's sign-in pages. Every visitor is Ada and consents. */
async function startGithubWeb() {
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://github')
    if (pathname === '/login/oauth/authorize') {
      const query = new URLSearchParams({ code: 'code-of-ada', state: searchParams.get('state') ?? '' })
      res.writeHead(302, { location: `${searchParams.get('redirect_uri')}?${query}` }).end()
      return
    }
    if (pathname.endsWith('.png')) {
      res.writeHead(200, { 'content-type': 'image/svg+xml' })
      res.end('<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"/>')
      return
    }
    const { code } = (await json(req)) as { code: string }
    const isKnown = code === 'code-of-ada'
    res.writeHead(200, { 'content-type': 'application/json' })
    res.end(JSON.stringify(isKnown ? { access_token: 'ada' } : { error: 'bad_verification_code' }))
  })
  return listen(server)
}
