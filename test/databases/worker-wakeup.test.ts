/** The worker runs a job when it is committed; no step from an event to a comment waits for the next poll of the queue. */
import { expect, test } from 'vitest'
import { useAppService } from '../support/app-service.ts'
import { type TrackedRepository, trackedRepositories } from '../support/pull-request-service.ts'
import { ACTIVITY } from '../support/routes.ts'

const { github, service } = useAppService({ has_workers: true, job_poll_ms: 3_600_000 }, async () => {})
const fresh = trackedRepositories(github, service)

async function open(repository: TrackedRepository): Promise<number> {
  const { number } = repository.githubRepo.open({ files: ['src/pay.ts'] })
  expect(await service.deliver(repository.event(number, 'opened'))).toMatchObject({ status: 202 })
  return number
}

test('a delivery leads to a comment, with one token of the installation', async () => {
  const repository = fresh()
  const body = { ...ACTIVITY, scope: { paths: ['src/pay.ts'] } }
  expect(await repository.request('POST', '/activity', { body })).toMatchObject({ status: 201 })
  const number = await open(repository)
  await expect.poll(() => repository.githubRepo.comments(number)).toHaveLength(1)
  expect(github.calls('POST /app/installations/*/access_tokens', 201)).toBe(1)
})

test('a request of a caller leads to a comment', async () => {
  const repository = fresh()
  const number = await open(repository)
  await expect.poll(() => repository.tracked()).toHaveLength(1)
  const notable = { title: 'Frozen', summary: 'Until Friday.', importance: 'high', category: 'warning' }
  const body = { ...notable, scope: { paths: ['src/**'] } }
  expect(await repository.request('POST', '/notables', { body })).toMatchObject({ status: 201 })
  await expect.poll(() => repository.githubRepo.comments(number)).toHaveLength(1)
})

test('a job that is enqueued while another one runs is run too', async () => {
  const repository = fresh()
  const release = github.hold('GET */files')
  const first = await open(repository)
  await expect.poll(() => github.calls(`GET /repos/${repository.full_name}/pulls/${first}/files`)).toBe(1)
  await open(repository)
  release()
  await expect.poll(() => repository.tracked()).toHaveLength(2)
})
