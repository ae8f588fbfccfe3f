/** The packages that `npm ci --omit=dev` installs run no install scripts and contact nobody. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Installed {
  version?: string
  dependencies?: Record<string, string>
  dev?: boolean
  hasInstallScript?: boolean
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Installed>
}
const production = Object.entries(lock.packages)
  .filter(([path, { dev }]) => path !== '' && !dev)
  .map(([path, installed]) => ({ ...installed, name: path.split('node_modules/').at(-1) as string }))

test('no production dependency reports installations', () => {
  expect(production.length).toBeGreaterThan(50)
  const telemetry = /^(@scarf\/|scarf$|opencollective|insight$|universal-analytics$)/
  expect(production.map(({ name }) => name).filter((name) => telemetry.test(name))).toEqual([])
})

test('the webhook payload types have the version that Probot uses', () => {
  const versions = Object.entries(lock.packages)
    .filter(([path]) => path.endsWith('node_modules/@octokit/webhooks'))
    .map(([, { version }]) => version)
  expect(versions).toEqual([lock.packages['']?.dependencies?.['@octokit/webhooks']])
  expect(lock.packages['node_modules/probot']?.dependencies).toHaveProperty('@octokit/webhooks')
})

test('no production dependency has an install script', () => {
  expect(production.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)).toEqual([])
})
