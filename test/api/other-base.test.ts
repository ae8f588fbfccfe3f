/** Work for different base branches does not collide (docs/contract/overlap.md#relationships): backports and releases. */
import { describe, expect, test } from 'vitest'
import type { PullGiven } from '../support/github-repository.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { repository } = usePullRequests()
/** Opens a pull request that changes the same line as the others. */
const open = (head: string, pull: PullGiven = {}) =>
  repository.open({ head, title: head, files: [editOfPay(40, [head])], ...pull })
const hasComment = (number: number) => repository.comment(number) !== undefined
const get = async (path: string) => (await repository.request('GET', path)).body
const idOf = async (branch: string) => (await get(`/activity?branch=${branch}`)).items[0].id
const retarget = async (number: number, base: string) => {
  const from = repository.githubRepo.pull(number).base.ref
  repository.githubRepo.update(number, { base })
  await repository.deliver(number, { action: 'edited', from: { base: from } })
  await repository.advance(2 * QUIET_MS)
}

describe('a backport of an open pull request', () => {
  test('is no duplicate of it: no comment, no pair, no overlap, no order', async () => {
    const fix = await open('fix', { body: 'Closes #7' })
    const backport = await open('backport', { base: 'release/1.x', body: 'Closes #7' })
    expect([fix, backport].filter(hasComment)).toEqual([])
    expect((await get('/overlaps')).items).toEqual([])
    expect((await get('/merge-order')).items).toEqual([])
    expect((await get('/signal')).periods[0].pairs.shown).toBe(0)
    const { overlap } = await get(`/activity/${await idOf('backport')}`)
    expect(overlap).toMatchObject({ overlap_detected: false, severity: null, related_activity_ids: [] })
  })

  test('hears nothing when the other is merged', async () => {
    const fix = await open('fix')
    const backport = await open('backport', { base: 'release/1.x' })
    await repository.merge(fix)
    await repository.advance(QUIET_MS)
    expect(hasComment(backport)).toBe(false)
  })

  test('collides with another one for the same release', async () => {
    await open('backport', { base: 'release/1.x' })
    expect(hasComment(await open('other', { base: 'release/1.x' }))).toBe(true)
  })
})

describe('a stack', () => {
  test('is for the base branch of its lowest part after that was merged', async () => {
    const lower = await open('lower', { files: ['docs/a.md'] })
    await open('upper', { base: 'lower' })
    await repository.merge(lower)
    expect(hasComment(await open('other'))).toBe(true)
  })
})

describe('a pull request that gets another base branch', () => {
  test('no longer collides: its comment says so, and the pair ends without an outcome', async () => {
    await open('fix')
    const number = await open('backport')
    expect(repository.comment(number)).toContain('Severity: high')
    await retarget(number, 'release/1.x')
    expect(repository.comment(number)).toContain('**No overlap any more.**')
    expect((await get('/signal')).periods[0].pairs).toMatchObject({ shown: 1, given_up: 1, resolved: 0 })
  })

  test('collides with the work there', async () => {
    const fix = await open('fix')
    const number = await open('backport', { base: 'release/1.x' })
    expect([fix, number].filter(hasComment)).toEqual([])
    await retarget(number, 'main')
    expect([fix, number].filter(hasComment)).toHaveLength(1)
  })
})
