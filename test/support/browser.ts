/** A real browser for tests: Debian's Chromium, or whatever CHROMIUM names. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

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

/** The serious and critical violations of accessibility rules that axe finds on the page. */
export async function seriousFaultsOn(page: Page): Promise<string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // The policy of the page forbids scripts from elsewhere; the browser protocol bypasses it.
  const found = (await page.evaluate(`${axe}; axe.run(document)`)) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
