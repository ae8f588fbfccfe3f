/** `npm run picture`: takes the screenshots of the page in the README, light and dark, and those of docs/install.md, in a real browser. */
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { readConfig } from '../src/base/config.ts'
import { startService } from '../src/server.ts'
import { startBrowser } from '../test/support/browser.ts'
import { apiAt } from '../test/support/service.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { startFakeGithubServer } from './fake-github-server.ts'
import { takeSetupPictures } from './setup-pictures.ts'

const DOCS = fileURLToPath(new URL('../docs', import.meta.url))
const TOKEN = 'token-ada'
const SIZE = { width: 1280, height: 460 }
const MINUTE_MS = 60_000

/** Activities with their age in minutes: those of docs/tour.md, and two that collide with neither. */
const ACTIVITIES = [
  [
    170,
    {
      title: 'Index the orders by day',
      actor: 'Cy',
      risk: 'high',
      branch: 'orders-by-day',
      scope: { areas: ['database'], paths: ['db/**'] },
    },
  ],
  [
    130,
    {
      title: 'Retry declined payments',
      actor: 'Ada',
      agent: 'claude-code',
      branch: 'payment-retries',
      scope: { areas: ['checkout'], paths: ['src/checkout/**', 'docs/payments.md'] },
    },
  ],
  [
    75,
    {
      title: 'Dark mode',
      actor: 'Dee',
      agent: 'cursor',
      branch: 'dark-mode',
      scope: { areas: ['web'], paths: ['web/**'] },
    },
  ],
  [40, { title: 'Tidy the retries', actor: 'Ben', branch: 'tidy', scope: { paths: ['src/**/retry.ts'] } }],
] as const

const NOTABLE = {
  title: 'Migrations are frozen until Friday',
  summary: 'The cut-over to the new cluster is running.',
  importance: 'high',
  category: 'migration',
  scope: { paths: ['db/migrations/**'] },
}

async function main(): Promise<void> {
  const github = await startFakeGithubServer({
    users: [{ token: TOKEN, login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } }],
    repositories: [{ id: 7, full_name: 'acme/shop' }],
  })
  const directory = await temporaryDirectory('picture')
  let ago_min = 0
  const service = await startService(
    readConfig({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: directory.path, GITHUB_API_URL: github.url }),
    { log: pino({ level: 'warn' }), clock: () => new Date(Date.now() - ago_min * MINUTE_MS) },
  )
  try {
    const api = apiAt(service.url, TOKEN)
    for (const [age_min, activity] of ACTIVITIES) {
      ago_min = age_min
      await api('POST', '/activity', { body: { summary: activity.title, base_branch: 'main', ...activity } })
    }
    await api('POST', '/notables', { body: NOTABLE })
    ago_min = 0
    for (const scheme of ['light', 'dark'] as const) await takeScreenshot(service.url, scheme)
  } finally {
    await service.close()
    await github.close()
    await directory.remove()
  }
}

async function takeScreenshot(url: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const browser = await startBrowser()
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme })
    await page.goto(`${url}/#/acme/shop`)
    await page.getByLabel('GitHub token').fill(TOKEN)
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('heading', { name: `${ACTIVITIES.length} live activities, 1 collision` }).waitFor()
    await page.getByRole('button', { name: NOTABLE.title }).waitFor()
    // Keep the focus ring out of the picture.
    await page.evaluate('document.activeElement?.blur()')
    await page.screenshot({ path: `${DOCS}/page-${colorScheme}.png` })
  } finally {
    await browser.close()
  }
}

await main()
await takeSetupPictures(DOCS)
