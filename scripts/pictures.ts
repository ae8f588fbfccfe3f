/** `npm run picture`: takes the screenshots of the documentation in a real browser, with the work of a made-up team. */
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { Browser, Page } from 'playwright-core'
import { readConfig } from '../src/server/platform/config.ts'
import { startService } from '../src/server/server.ts'
import { apiAt } from '../test/support/api.ts'
import { startBrowser } from '../test/support/browser.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { startFakeGithubServer } from './fake-github-server.ts'
import { commentsPage } from './pictures/comments.ts'
import { TEAM, TEAM_NOTABLES, teamWork, type Work, workBody } from './pictures/team.ts'

const DOCS = fileURLToPath(new URL('../docs', import.meta.url))
const WEB_URL = 'https://github.com'
const READER = 'ada'
/** The repository with all the work, and others with a part of it, for the overview. */
const SHOP = 'acme/shop'
const OTHERS = [
  ['acme/api', 5, 17],
  ['acme/mobile', 20, 28],
  ['globex/site', 30, 33],
] as const
const WIDE = { width: 1280, height: 600 }
const MINUTE_MS = 60_000
/** Less than the time to live, so that work that is days old is still live. */
const HEARTBEAT_MIN = 1200

interface Picture {
  name: string
  hash?: string
  size?: typeof WIDE
  scheme?: 'light' | 'dark'
  /** Takes the picture when this text is there; by default when all work is compared. */
  text?: string
  /** Takes only this part of the page. */
  part?: string
}

const PICTURES: Picture[] = [
  { name: 'page-light' },
  { name: 'page-dark', scheme: 'dark' },
  { name: 'tour-overview', hash: '#/', size: { width: 1280, height: 400 }, text: 'globex/site' },
  { name: 'tour-you', part: 'section[aria-label="Needs somebody"] > ul > :first-child' },
  { name: 'tour-phone', size: { width: 390, height: 844 }, scheme: 'dark' },
]

const browser = await startBrowser()
try {
  await takePage(browser)
  for (const scheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width: 820, height: 200 } })
    await page.setContent(commentsPage())
    await save(page, `comment-${scheme}`)
  }
} finally {
  await browser.close()
}

async function takePage(browser: Browser): Promise<void> {
  const names = [SHOP, ...OTHERS.map(([name]) => name)]
  const permissions = Object.fromEntries(names.map((name) => [name, 'write' as const]))
  const github = await startFakeGithubServer({
    users: TEAM.map((login, index) => ({ token: login, login, id: index + 1, permissions })),
    repositories: names.map((full_name, index) => ({ id: 7 + index, full_name })),
  })
  let ago_min = 0
  const directory = await temporaryDirectory('picture')
  const service = await startService(
    readConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: directory.path,
      GITHUB_API_URL: github.url,
      GITHUB_WEB_URL: WEB_URL,
      RATE_LIMIT_PER_MINUTE: '1000000',
    }),
    { log: pino({ level: 'warn' }), clock: () => new Date(Date.now() - ago_min * MINUTE_MS) },
  )
  const send = (name: string, who: string, path: string, body?: object) =>
    apiAt(service.url, who)('POST', `/api/v1/repos/${name}${path}`, { body })
  const declare = async (name: string, work: Work) => {
    const { who } = work
    ago_min = work.age
    const { body } = await send(name, who, '/activity', workBody(work, `${WEB_URL}/${name}`))
    for (ago_min -= HEARTBEAT_MIN; ago_min > 0; ago_min -= HEARTBEAT_MIN)
      await send(name, who, `/activity/${body.activity.id}/heartbeat`)
    ago_min = 0
  }
  const all = teamWork()
  for (const work of all) await declare(SHOP, work)
  for (const [name, from, to] of OTHERS) for (const work of all.slice(from, to)) await declare(name, work)
  for (const body of TEAM_NOTABLES) await send(SHOP, 'goro', '/notables', body)
  for (const picture of PICTURES) await take(browser, service.url, picture)
  await service.close()
  await github.close()
  await directory.remove()
}

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { name, hash = `#/${SHOP}`, size = WIDE, scheme = 'light', part } = picture
  const page = await browser.newPage({ viewport: size, colorScheme: scheme })
  // Made-up people have no pictures.
  await page.route(`${WEB_URL}/**`, (route) => route.abort())
  await page.goto(`${url}/${hash}`)
  await page.getByLabel('GitHub token').fill(READER)
  await page.getByRole('button', { name: 'Use token' }).click()
  await page
    .getByText(picture.text ?? 'will conflict')
    .first()
    .waitFor()
  await page.getByText(READER, { exact: true }).first().waitFor({ state: 'attached' })
  await save(page, name, part)
}

async function save(page: Page, name: string, part?: string): Promise<void> {
  // Keep the focus ring out of the picture.
  await page.evaluate('document.activeElement?.blur()')
  const path = `${DOCS}/${name}.png`
  if (part) await page.locator(part).screenshot({ path })
  else await page.screenshot({ path, fullPage: name.startsWith('comment') })
  await page.close()
}
