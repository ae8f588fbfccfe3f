/** The pictures of docs/install.md: the steps of `/setup` in a real browser. GitHub’s own pages are described there in words. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { readConfig } from '../src/server/base/config.ts'
import { startService } from '../src/server/server.ts'
import { startBrowser } from '../test/support/browser.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { startFakeGithubServer } from './fake-github-server.ts'

const SIZE = { width: 860, height: 420 }
/** Shown instead of the local address and its code. */
const PUBLIC_HOST = 'deconflict.example.com'

/** Writes the pictures into `directory`. */
export async function takeSetupPictures(directory: string): Promise<void> {
  const github = await startFakeGithubServer({ repositories: [{ id: 7, full_name: 'acme/shop' }] })
  const data = await temporaryDirectory('picture')
  const port = await freePort()
  const public_url = `http://127.0.0.1:${port}`
  const service = await startService(
    readConfig({
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: data.path,
      GITHUB_API_URL: github.url,
      PUBLIC_URL: public_url,
    }),
    { log: pino({ level: 'warn' }) },
  )
  const browser = await startBrowser()
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' })
    const take = async (name: string) => {
      await hideAddresses(page, data.path)
      await page.screenshot({ path: `${directory}/setup-${name}.png`, fullPage: true })
    }
    await page.goto(`${public_url}/setup?code=guess`)
    await take('refused')
    await page.goto(service.setup_url as string)
    await page.getByLabel('Organization').fill('acme')
    await page.getByRole('button', { name: 'Use this owner' }).click()
    await page.getByRole('button', { name: 'Create the App for the organization acme' }).waitFor()
    await take('owner')
    await page.getByRole('button', { name: 'Create the App for the organization acme' }).click()
    await page.getByRole('heading', { name: 'Install' }).waitFor()
    await page.goto(public_url)
    await page.getByRole('link', { name: 'Sign in with GitHub' }).waitFor()
    await take('signed-out')
  } finally {
    await browser.close()
    await service.close()
    await github.close()
    await data.remove()
  }
}

/** Replaces the temporary directory, which differs in every run. */
async function hideAddresses(page: Page, directory: string): Promise<void> {
  await page.evaluate(`{
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      node.data = node.data.replaceAll(${JSON.stringify(directory)}, './data').replaceAll(location.host, '${PUBLIC_HOST}')
    document.activeElement?.blur()
  }`)
}

function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  return once(server, 'listening').then(() => {
    const { port } = server.address() as AddressInfo
    server.close()
    return port
  })
}
