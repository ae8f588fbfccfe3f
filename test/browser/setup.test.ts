/** Creating the GitHub App in a real browser: from the address in the log to the sign-in on the page. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { VERSION } from '../../src/vocabulary/version.ts'
import { BROWSER, faultsOn, patient, startBrowser } from '../support/browser.ts'
import { freePort } from '../support/postgres.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { useDatabase } from '../support/use-deployment.ts'

describe.skipIf(BROWSER === undefined)('in Chromium, the App', () => {
  let github: FakeGithubServer
  const database = useDatabase()
  let service: ServiceProcess
  let browser: Browser

  beforeAll(async () => {
    github = await startFakeGithubServer({ repositories: [{ id: 7, full_name: 'acme/shop' }] })
    const port = await freePort()
    service = await startProcess({
      DATABASE_URL: database.database_url,
      GITHUB_API_URL: github.url,
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.kill('SIGTERM')
    await github?.close()
  })

  test('is created for an organization, and people sign in with it', async () => {
    const page = patient(await browser.newPage())
    const refused: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) refused.push(message.text())
    })
    const [address = ''] = /http:\/\/127[^"\s]+\/setup\?code=[\w-]+/.exec(service.output()) ?? []
    await page.goto(address)
    expect(await faultsOn(page)).toEqual([])
    await page.getByLabel('Organization').fill('acme')
    await page.getByRole('button', { name: 'Use this owner' }).click()
    await page.getByRole('button', { name: 'Create the App for the organization acme' }).click()
    await page.getByRole('heading', { name: 'Install' }).waitFor()
    expect(page.url()).toBe(`${github.url}/apps/deconflict/installations/new`)
    expect(github.github.state.app).toMatchObject({ owner: 'acme', name: 'Deconflict acme' })
    await page.goto(service.url)
    await page.getByRole('link', { name: 'Sign in with GitHub' }).waitFor()
    await page.getByText(VERSION, { exact: true }).waitFor()
    await page.goto(address)
    await page.getByText('The GitHub App is configured').waitFor()
    expect(refused).toEqual([])
  })
})
