/** A real browser for tests: Debian's Chromium, or whatever CHROMIUM names. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { untilWritten } from './process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const FLAGS = `--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
  --disable-component-update --disable-sync`.split(/\s+/)

/** The path of the browser; undefined if none is installed, so that tests can say what they skip. */
export const BROWSER = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path))

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: BROWSER as string, args: FLAGS })
}

/** Whatever is waited for here has a minute: half of it, as Playwright has it, is too little on a busy machine. */
export function patient<Place extends Page | BrowserContext>(place: Place): Place {
  place.setDefaultTimeout(60_000)
  return place
}

export type Desktop = Awaited<ReturnType<typeof startDesktop>>

/**
 * The browser as a person runs it: one window whose tabs are hidden unless they are in front. Playwright would make all of them
 * visible. `blocks_site_data`: as the browser's setting for all sites does.
 */
export async function startDesktop({ blocks_site_data = false } = {}) {
  const profile = await temporaryDirectory('profile')
  if (blocks_site_data) {
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } }
    await mkdir(join(profile.path, 'Default'))
    await writeFile(join(profile.path, 'Default', 'Preferences'), JSON.stringify(preferences))
  }
  const options = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile.path}`]
  const child = spawn(BROWSER as string, [...FLAGS, ...options, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  const [, address = ''] = await untilWritten(child, /DevTools listening on (ws:\S+)/)
  const browser = await chromium.connectOverCDP(address, { noDefaults: true })
  return {
    context: patient(browser.contexts()[0] as BrowserContext),
    async close() {
      await browser.close()
      kill()
      await exited
      process.removeListener('exit', kill)
      await profile.remove()
    },
  }
}

/** The violations of accessibility rules that axe finds on the page. */
export async function faultsOn(page: Page): Promise<string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // The policy of the page forbids scripts from elsewhere; the browser protocol bypasses it.
  const found = (await page.evaluate(`${axe}; axe.run(document)`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
