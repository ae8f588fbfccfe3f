/** The changes of a repository that are announced to open pages by the event stream. */
import { afterAll, beforeEach, expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import {
  type AppRepository,
  type AppService,
  appRepositories,
  startAppService,
} from '../support/app-service.ts'
import { fakeGithub } from '../support/github.ts'
import { pushEvent } from '../support/webhooks.ts'

const NOTABLE = { title: 'Frozen', summary: 'Until Friday.', importance: 'high', category: 'migration' }

const github = fakeGithub()
/** Undefined after a test that stopped it. */
let running: AppService | undefined
let service: AppService
const freshRepository = appRepositories(github, () => service)
let repo: AppRepository
let other: AppRepository
let stop: () => Promise<void>

beforeEach(async () => {
  running ??= await startAppService(github)
  service = running
  repo = freshRepository()
  other = freshRepository()
  let stopped: Promise<void> | undefined
  stop = () => {
    running = undefined
    stopped ??= service.close()
    return stopped
  }
})
afterAll(async () => {
  await running?.close()
  github.close()
})

test('opening, changing and merging a pull request is announced', async () => {
  const stream = await openStream(repo)
  repo.githubRepo.open({ files: ['src/pay.ts'] })
  await service.deliverAndRun(repo.event(1, 'opened'))
  expect(await stream.next('changed')).toMatchObject({ activities: [{ pr_url: expect.any(String) }] })
  repo.githubRepo.update(1, { title: 'Retry twice' })
  await service.deliverAndRun(repo.event(1, 'edited'))
  expect(await stream.next('changed')).toMatchObject({ activities: [{ title: 'Retry twice' }] })
  repo.githubRepo.merge(1)
  await service.deliverAndRun(repo.event(1, 'closed'))
  expect(await stream.next('changed')).toMatchObject({
    activities: [],
    gone: [expect.stringMatching(/^act_/)],
  })
})

test('activities that the sweep expires are announced', async () => {
  const id = await repo.createActivity({})
  await announced()
  const stream = await openStream(repo)
  service.clock.advance(2 * 86_400_000)
  await sweep(service.app)
  expect(await stream.next('changed')).toMatchObject({ activities: [], gone: [id] })
})

test('creating, changing or archiving a record is announced', async () => {
  const stream = await openStream(repo)
  const id = await repo.createActivity({})
  expect(await stream.next('changed')).toMatchObject({ activities: [{ id, risk: 'low' }], gone: [] })
  await repo.request('PATCH', `/activity/${id}`, { body: { risk: 'high' } })
  expect(await stream.next('changed')).toMatchObject({ activities: [{ id, risk: 'high' }], gone: [] })
  await repo.request('POST', `/activity/${id}/archive`)
  expect(await stream.next('changed')).toMatchObject({ activities: [], gone: [id] })
})

test('the collisions of a changed activity are announced, all of them', async () => {
  const scope = { paths: ['src/**'] }
  const one = await repo.createActivity({ branch: 'one', scope })
  await announced()
  const stream = await openStream(repo)
  const two = await repo.createActivity({ branch: 'two', scope })
  expect(await stream.next('compared')).toMatchObject({
    of: [two],
    collisions: [{ activity_ids: [one, two] }],
    total: 1,
  })
  await repo.request('PATCH', `/activity/${two}`, { body: { scope: { paths: ['docs/**'] } } })
  expect(await stream.next('compared')).toMatchObject({ of: [two], collisions: [], total: 0 })
})

test('a notable is announced with those that it supersedes', async () => {
  const old = await repo.request('POST', '/notables', { body: NOTABLE })
  await announced()
  const stream = await openStream(repo)
  const { body } = await repo.request('POST', '/notables', {
    body: { ...NOTABLE, supersedes: [old.body.id] },
  })
  expect(await stream.next('changed')).toMatchObject({ notables: [{ id: body.id }], gone: [old.body.id] })
})

test('more changes than an announcement holds make pages read their lists again', async () => {
  const stream = await openStream(repo)
  const ids = Array.from({ length: 51 }, (_, n) => `act_${n}`)
  service.app.change_feed.announce(repo.id, ids)
  expect(await stream.next('outdated')).toEqual({})
})

test('a caller who may no longer read the repository gets no further change', async () => {
  github.token('leaver', { login: 'leaver', id: 9, permissions: { [repo.full_name]: 'read' } })
  const stream = await openStream(repo, 'leaver')
  github.revoke('leaver')
  service.clock.advance(60_001)
  await repo.createActivity({})
  expect(await stream.untilClosed()).toBe('')
})

test('heartbeats and updates that change nothing are not announced', async () => {
  const id = await repo.createActivity({ branch: 'retries' })
  await service.runDueJobs()
  await announced()
  const stream = await openStream(repo)
  service.clock.advance(1000)
  expect((await repo.request('POST', `/activity/${id}/heartbeat`)).status).toBe(200)
  expect((await repo.request('PATCH', `/activity/${id}`, { body: { heartbeat: true } })).status).toBe(200)
  expect((await repo.request('PATCH', `/activity/${id}`, { body: { risk: 'low' } })).status).toBe(200)
  await service.deliverAndRun(pushEvent(github, repo.full_name, { ref: 'refs/heads/retries' }))
  await announced()
  expect(await repo.activity(id)).toMatchObject({ heartbeat_at: service.clock.now.toISOString() })
  expect(await stream.untilStopped()).toBe('')
})

/** Resolves when all changes so far have been announced: announcements keep their order, and the change of another repository comes last. */
async function announced() {
  const barrier = await openStream(other)
  await other.createActivity({})
  await barrier.next('changed')
}

/** Opens the event stream of a repository and reads its `hello`. */
async function openStream({ full_name }: AppRepository, token = 'ada') {
  const response = await fetch(`${service.url}/events/${full_name}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader()
  const read = async () => (await reader.read()).value
  let text = ''
  const untilClosed = async () => {
    for (let chunk = await read(); chunk !== undefined; chunk = await read()) text += chunk
    return text
  }
  /** The data of the next event of that name; others before it are skipped. */
  const next = async (name: string) => {
    const event = new RegExp(`^event: ${name}\ndata: (.*)\n\n`, 'm')
    while (!event.test(text)) {
      const chunk = await read()
      if (chunk === undefined) throw new Error(`the stream ended without ${name}`)
      text += chunk
    }
    const [whole, data] = event.exec(text) as unknown as [string, string]
    text = text.slice(text.indexOf(whole) + whole.length)
    return JSON.parse(data)
  }
  // Another event may be in the same chunk.
  await next('hello')
  return {
    next,
    /** Everything that was received and not yet read, until the service ends the stream. */
    untilClosed,
    /** Stops the service, which ends every stream. Returns everything received before the end. */
    async untilStopped() {
      const stopping = stop()
      const rest = await untilClosed()
      await stopping
      return rest
    },
  }
}
