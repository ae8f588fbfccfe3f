/**
 * `npm run picture`: takes the screenshots of the page in README.md, docs/tour.md and docs/backlog.md, with the work of a made-up
 * team, and those of docs/install.md, in a real browser.
 */
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { Browser, Page } from 'playwright-core'
import { readConfig } from '../src/server/base/config.ts'
import { startService } from '../src/server/server.ts'
import { type Api, apiAt } from '../test/support/api.ts'
import { startBrowser } from '../test/support/browser.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { startFakeGithubServer } from './fake-github-server.ts'
import { agentsWork, TEAM, TEAM_NOTABLES, teamWork } from './page-team.ts'
import { takeSetupPictures } from './setup-pictures.ts'

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
const WIDE = { width: 1280, height: 720 }
const PHONE = { width: 390, height: 844 }
const MINUTE_MS = 60_000
/** Less than the time to live, so that work that is days old is still live. */
const HEARTBEAT_MIN = 1200

interface Picture {
  name: string
  hash: string
  size: typeof WIDE
  scheme: 'light' | 'dark'
  /** What the picture is of, so that it is taken when that is there. */
  isReady(page: Page): Promise<unknown>
  /** Takes only this part of the page. */
  part?: string
}

const compared = (page: Page) =>
  page.getByRole('heading', { name: '40 live activities, 14 collisions' }).waitFor()

const PICTURES: Picture[] = [
  ...(['light', 'dark'] as const).map((scheme) => ({
    name: `page-${scheme}`,
    hash: `#/${SHOP}`,
    size: WIDE,
    scheme,
    isReady: compared,
  })),
  {
    name: 'tour-overview',
    hash: '#/',
    size: { width: 1280, height: 400 },
    scheme: 'light',
    isReady: (page) => page.locator('.repository').first().waitFor(),
  },
  {
    name: 'tour-you',
    hash: `#/${SHOP}`,
    size: WIDE,
    scheme: 'light',
    isReady: compared,
    part: 'section.you',
  },
  {
    name: 'tour-hot-spots',
    hash: `#/${SHOP}?path=src/checkout/retry.ts`,
    size: WIDE,
    scheme: 'light',
    isReady: (page) => page.getByText('lines 40–58').first().waitFor(),
    part: 'section.hot-spots',
  },
  {
    name: 'tour-timeline',
    hash: `#/${SHOP}?only=collisions`,
    size: WIDE,
    scheme: 'light',
    isReady: async (page) => {
      await page.locator('.links path').first().waitFor()
      await page.locator('.bar', { hasText: 'Retry declined payments' }).hover()
    },
    part: 'section:has(> .timeline)',
  },
  { name: 'tour-phone', hash: `#/${SHOP}`, size: PHONE, scheme: 'dark', isReady: compared },
]

/** After the work of the agents was declared. */
const WITH_AGENTS = (['light', 'dark'] as const).map(
  (scheme): Picture => ({
    name: `backlog-issues-${scheme}`,
    hash: `#/${SHOP}`,
    size: WIDE,
    scheme,
    isReady: (page) => page.getByText('3 at work').waitFor(),
    part: 'section[aria-labelledby="issues-heading"]',
  }),
)

async function main(): Promise<void> {
  const names = [SHOP, ...OTHERS.map(([name]) => name)]
  const permissions = Object.fromEntries(names.map((name) => [name, 'write' as const]))
  const github = await startFakeGithubServer({
    users: TEAM.map((login, index) => ({ token: login, login, id: index + 1, permissions })),
    repositories: names.map((full_name, index) => ({ id: 7 + index, full_name })),
  })
  const directory = await temporaryDirectory('picture')
  let ago_min = 0
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
  const browser = await startBrowser()
  try {
    const declare = async (name: string, { token, age_min, body }: ReturnType<typeof teamWork>[number]) => {
      const api = apiBelow(apiAt(service.url, token), name)
      ago_min = age_min
      const id = (await api('POST', '/activity', { body })).body.activity.id
      for (ago_min -= HEARTBEAT_MIN; ago_min > 0; ago_min -= HEARTBEAT_MIN)
        await api('POST', `/activity/${id}/heartbeat`)
      ago_min = 0
    }
    for (const work of teamWork(WEB_URL, SHOP)) await declare(SHOP, work)
    for (const [name, from, to] of OTHERS)
      for (const work of teamWork(WEB_URL, name).slice(from, to)) await declare(name, work)
    const api = apiBelow(apiAt(service.url, 'goro'), SHOP)
    for (const body of TEAM_NOTABLES) await api('POST', '/notables', { body })
    for (const picture of PICTURES) await take(browser, service.url, picture)
    for (const work of agentsWork(WEB_URL, SHOP)) await declare(SHOP, work)
    for (const picture of WITH_AGENTS) await take(browser, service.url, picture)
  } finally {
    await browser.close()
    await service.close()
    await github.close()
    await directory.remove()
  }
}

function apiBelow(api: Api, name: string): Api {
  return (method, path, options) => api(method, `/api/v1/repos/${name}${path}`, options)
}

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { name, hash, size, scheme, part } = picture
  const page = await browser.newPage({ viewport: size, colorScheme: scheme })
  // Made-up people have no pictures.
  await page.route(`${WEB_URL}/**`, (route) => route.abort())
  await page.goto(`${url}/${hash}`)
  await page.getByLabel('GitHub token').fill(READER)
  await page.getByRole('button', { name: 'Use token' }).click()
  await picture.isReady(page)
  await page.getByText(READER, { exact: true }).first().waitFor()
  // Keep the focus ring out of the picture.
  await page.evaluate('document.activeElement?.blur()')
  const path = `${DOCS}/${name}.png`
  if (part) await page.locator(part).screenshot({ path })
  else await page.screenshot({ path })
  await page.close()
}

await main()
await takeSetupPictures(DOCS)
