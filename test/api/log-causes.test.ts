/** Correlation of log lines by the id of a request, and by the id of a delivery with all jobs that it caused (docs/observability.md). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { jobs } from '../../src/server/jobs/table.ts'
import { scrape } from '../support/metrics.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

type Line = Record<string, unknown> & { msg: string }

const { github, service, repository: repo } = usePullRequests({ settings: 'comment: {audience: both}' })

/** The log lines that contain the text anywhere, as found by a text search. */
function linesWith(text: string): Line[] {
  return service.log.filter((line) => line.includes(text)).map((line) => JSON.parse(line))
}

/** Opens a pull request on `src/pay.ts`, and runs all jobs that its delivery causes. */
async function opened(): Promise<string> {
  const id = randomUUID()
  const { number } = repo.githubRepo.open({ head: `branch-${id.slice(0, 8)}`, files: ['src/pay.ts'] })
  await service.deliver(repo.event(number, 'opened'), id)
  await service.runDueJobs()
  return id
}

test('the id of a delivery finds its acceptance, its job, and the effects of the jobs that it caused', async () => {
  await repo.create({ scope: { paths: ['src/pay.ts'] } })
  await service.runDueJobs()
  const id = await opened()
  const lines = linesWith(id)
  const [accepted] = lines.filter(({ msg }) => msg === 'delivery')
  expect(accepted).toMatchObject({ delivery: id, event: 'pull_request', outcome: 'accepted' })
  const [answered] = lines.filter(({ msg }) => msg === 'request')
  expect(answered).toMatchObject({ request_id: accepted?.request_id, delivery: id, operation: 'webhook' })
  const ran = lines.filter(({ msg }) => msg === 'job')
  expect(ran.map(({ kind }) => kind)).toEqual(['delivery', 'change'])
  for (const line of ran)
    expect(line).toMatchObject({ caused_by: expect.arrayContaining([id]), outcome: 'done' })
  expect(ran[0]).toMatchObject({ job: `delivery:${id}`, did: { tracked: 1 } })
  expect(ran.filter(({ did }) => (did as { commented?: number }).commented === 1)).toHaveLength(1)
})

test('the id of a request finds its effects on pull requests', async () => {
  await opened()
  service.clock.advance(60_000)
  const body = { title: 'Retry', summary: 'Twice.', actor: 'Ada', scope: { paths: ['src/pay.ts'] } }
  const { headers } = await repo.request('POST', '/activity', { body })
  await service.runDueJobs()
  const lines = linesWith(headers.get('x-request-id') as string)
  expect(lines.filter(({ msg }) => msg === 'job').map(({ kind }) => kind)).toEqual(['change', 'recheck'])
  expect(lines.at(-1)).toMatchObject({ did: { commented: 1 } })
})

test('a request id is in the log of a failed GitHub call', async () => {
  github.fault('*', 'server_error')
  const { status, headers } = await repo.request('GET', '/activity')
  github.clearFaults()
  expect(status).toBe(503)
  const [trouble] = linesWith(headers.get('x-request-id') as string).filter(
    ({ msg }) => msg === 'github request failed',
  )
  expect(trouble).toMatchObject({ call: 'GET /repos/{owner}/{repo}', kind: 'caller', status: 500 })
})

test('a job keeps the ten newest causes', async () => {
  await opened()
  await service.db.update(jobs).set({ leased_until: new Date('2100-01-01') })
  const ids = Array.from({ length: 12 }, () => randomUUID())
  const { id } = (await repo.create({})).activity
  const asked: string[] = []
  for (const _ of ids) {
    const answer = await repo.patch(id, { risk: asked.length % 2 ? 'low' : 'high' })
    asked.push(answer.headers.get('x-request-id') as string)
  }
  const change = (await service.jobs('change')).find((job) => job.id.endsWith(id))
  expect(change?.caused_by).toEqual(asked.reverse().slice(0, 10))
  await service.db.update(jobs).set({ leased_until: null })
})

test('jobs, their effects, deliveries and calls as the App are counted', async () => {
  const series = [
    'deconflict_deliveries_total{outcome="accepted"}',
    'deconflict_deliveries_total{outcome="known"}',
    'deconflict_deliveries_total{outcome="ignored"}',
    'deconflict_deliveries_total{outcome="refused"}',
    'deconflict_job_duration_seconds_count{kind="delivery",outcome="done"}',
    'deconflict_effects_total{effect="tracked"}',
  ]
  const read = async () => {
    const { value } = await scrape(service.url)
    return series.map((each) => value(each) ?? 0)
  }
  const before = await read()
  const id = await opened()
  const { number } = repo.githubRepo.open({ head: 'again', files: ['src/pay.ts'] })
  await service.deliver(repo.event(number, 'opened'), id)
  await service.deliver({ event: 'star', payload: { action: 'created' } })
  await fetch(`${service.url}/api/github/webhooks`, { method: 'POST', body: '{}' })
  await service.runDueJobs()
  const grown = (await read()).map((value, index) => value - (before[index] as number))
  expect(grown).toEqual([1, 1, 1, 1, 1, 1])
  const { value } = await scrape(service.url)
  expect(
    value('deconflict_github_request_duration_seconds_count{kind="installation",status="200"}'),
  ).toBeGreaterThan(0)
  expect(value('deconflict_github_quota_remaining{kind="installation"}')).toBe(4999)
})
