/** The App on other GitHub hosts than github.com: Enterprise Server, whose rate limits are off by default, and data residency. */
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/server/platform/config.ts'
import { type AppService, startAppService } from '../support/app-service.ts'
import { type FakeGithub, fakeGithub } from '../support/github.ts'
import { editOfPay } from '../support/lines.ts'
import { installationEvent, pullRequestEvent } from '../support/webhooks.ts'

const SHOP = 'acme/shop'
const SETTINGS = '.github/deconflict.yml'

let github: FakeGithub
let service: AppService
afterEach(async () => {
  await service.close()
  github.close()
})

async function start(api_url: string): Promise<void> {
  const { github_api_url, github_web_url } = readConfig({ GITHUB_API_URL: api_url })
  github = fakeGithub(api_url)
  service = await startAppService(github, { config: { github_api_url, github_web_url }, paces_writes: true })
  service.clock.now = new Date()
  github.repository({ id: 7, full_name: SHOP })
  github.token('ada', { login: 'ada', id: 1, permissions: { [SHOP]: 'write' } })
}

async function commentOnConflict(): Promise<string | undefined> {
  const installation = github.app.install({ account: 'acme' })
  github.at(SHOP).write(SETTINGS, 'check_run: true')
  github.at(SHOP).open({ files: [editOfPay(40, ['a'])], head: 'a', author: 'ann' })
  await service.deliverAndRun(installationEvent(github, installation, 'created'))
  service.clock.advance(60_000)
  const { number } = github.at(SHOP).open({ files: [editOfPay(40, ['b'])], head: 'b', author: 'ben' })
  await service.deliverAndRun(pullRequestEvent(github, SHOP, number, 'opened'))
  service.clock.advance(120_000)
  await service.runDueJobs()
  return github.at(SHOP).comments(number)[0]?.body
}

test.each([
  ['Enterprise Server', 'https://ghe.example/api/v3', 'https://ghe.example'],
  ['data residency', 'https://api.acme.ghe.com', 'https://acme.ghe.com'],
])('on %s, the App imports, comments and links to the host; no job fails', async (name, api_url, web_url) => {
  await start(api_url)
  if (name === 'Enterprise Server') github.disableLimits()
  expect(await commentOnConflict()).toContain('`#1`')
  const { items } = (await service.api('GET', `/api/v1/repos/${SHOP}/activity`)).body
  expect(items.map(({ pr_url }: { pr_url: string }) => pr_url).sort()).toEqual([
    `${web_url}/${SHOP}/pull/1`,
    `${web_url}/${SHOP}/pull/2`,
  ])
  const health = await fetch(`${service.url}/healthz`)
  expect(await health.json()).toMatchObject({ github_host: new URL(web_url).host })
  const jobs = await service.jobs()
  expect(jobs.filter(({ last_error }) => last_error !== null)).toEqual([])
  expect(jobs.filter(({ attempts }) => attempts > 1)).toEqual([])
})
