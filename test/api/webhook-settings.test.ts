/** Which version of the settings file holds: that of the last push, whatever the order of deliveries, and of the last hour. */
import { describe, expect, test } from 'vitest'
import { usePullRequests } from '../support/pull-request-service.ts'
import { pushEvent } from '../support/webhooks.ts'

const SETTINGS = '.github/deconflict.yml'
const DEFAULT = 86_400_000

const { fixture, github, repository } = usePullRequests()

const ttl = async () => (await repository.request('GET', '/settings')).body.activity_ttl_ms
const reads = () => github.requests(`GET /repos/${repository.full_name}/contents/${SETTINGS}`)

/** Writes the file on GitHub; returns the event of the push, `at` this second. */
const pushed = (text: string | null, at: number) => {
  const push = repository.githubRepo.write(SETTINGS, text)
  const event = pushEvent(github, repository.full_name, { ...push, modified: [SETTINGS] })
  Object.assign(event.payload.repository as object, { pushed_at: at })
  return event
}
const reconciled = async () => {
  await fixture.service.enqueueFirstJobs()
  await repository.advance(3_600_000)
}

describe('after a push', () => {
  test('the file of its commit holds, although the branch has gone on', async () => {
    const first = pushed('activity_ttl_ms: 5000', 1)
    const second = pushed('activity_ttl_ms: 6000', 2)
    await fixture.service.deliverAndRun(first)
    expect(await ttl()).toBe(5000)
    await fixture.service.deliverAndRun(second)
    expect(await ttl()).toBe(6000)
  })

  test.each([
    ['a second later', 'activity_ttl_ms: 6000', 2, 6000],
    ['in the same second', 'activity_ttl_ms: 6000', 1, 6000],
    ['that deletes the file', null, 2, DEFAULT],
  ])('an earlier one that arrives after one %s changes nothing', async (_, text, at, expected) => {
    const first = pushed('activity_ttl_ms: 5000', 1)
    const second = pushed(text, at)
    await fixture.service.deliverAndRun(second, first)
    expect(await ttl()).toBe(expected)
  })

  test('whose commit GitHub does not have any more, the default branch holds', async () => {
    const event = pushed('activity_ttl_ms: 5000', 1)
    await fixture.service.deliverAndRun({ ...event, payload: { ...event.payload, after: 'f'.repeat(40) } })
    expect(await ttl()).toBe(5000)
  })
})

describe('every hour', () => {
  test.each([
    ['a missed change', 'activity_ttl_ms: 6000', 6000],
    ['a missed deletion', null, DEFAULT],
  ])('%s is found', async (_, text, expected) => {
    await repository.writeFile(SETTINGS, 'activity_ttl_ms: 50000000')
    repository.githubRepo.write(SETTINGS, text)
    await reconciled()
    expect(await ttl()).toBe(expected)
  })

  test('an unchanged file costs nothing, by its ETag', async () => {
    await repository.writeFile(SETTINGS, 'activity_ttl_ms: 50000000')
    await reconciled()
    const before = reads().length
    await reconciled()
    expect(
      reads()
        .slice(before)
        .map(({ status }) => status),
    ).toEqual([304])
    expect(await ttl()).toBe(50_000_000)
  })
})
