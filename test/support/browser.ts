/** A real browser for tests: Debian's Chromium, or whatever CHROMIUM names. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

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
