/** Areas, tags and ignored paths in an overlap check, with the settings of the repository. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { freshRepositories } from '../support/repository.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
const repository = freshRepositories(github, () => service)
let service: TestService

beforeAll(async () => {
  service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 1_000_000 } })
})

afterAll(async () => {
  await service.close()
  github.close()
})

describe('areas', () => {
  test.each([
    ['trimmed and without case', { scope: { areas: ['  ChecKout '] } }],
    ['as a tag', { tags: ['CHECKOUT '] }],
    ['as a tag beside paths that share nothing', { scope: { paths: ['docs/**'] }, tags: ['checkout'] }],
  ])('labels are compared %s', async (_, body) => {
    const { createActivity, check } = repository()
    const id = await createActivity({ scope: { areas: ['Checkout', 'till'] } })
    const result = await check(body)
    expect(result).toMatchObject({ overlap_detected: true, severity: 'low', related_activity_ids: [id] })
    expect(result.matches).toMatchObject([
      { id, severity: 'low', areas: [expect.stringMatching(/^checkout$/i)], paths: [] },
    ])
  })

  test('labels that differ in more than case do not overlap, nor does a label with a path of that name', async () => {
    const { createActivity, check } = repository()
    await createActivity({ scope: { areas: ['check out'], paths: ['checkout'] } })
    expect((await check({ scope: { areas: ['checkout'] }, tags: ['check-out'] })).overlap_detected).toBe(
      false,
    )
  })

  test.each([
    ['your area', { scope: { areas: ['TILL'] } }, { paths: ['src/till/drawer.ts'] }],
    ['your tag', { tags: ['till'] }, { paths: ['src/till/drawer.ts'] }],
    ['their area', { scope: { paths: ['src/till/drawer.ts'] } }, { areas: [' Till'] }],
    ['both areas, by different labels', { scope: { areas: ['till'] } }, { areas: ['drawers'] }],
  ])('%s counts as the globs that the settings define', async (_, yours, theirs) => {
    const { configure, createActivity, check } = repository()
    const id = await createActivity({ scope: theirs })
    expect((await check(yours)).overlap_detected).toBe(false)
    await configure({ areas: { Till: ['src/till/**'], drawers: ['src/*/drawer.ts'] } })
    const result = await check(yours)
    expect(result).toMatchObject({ severity: 'medium', related_activity_ids: [id] })
    expect(result.matches[0]?.paths[0]?.example).toBe('src/till/drawer.ts')
  })
})

describe('noise and ignored paths', () => {
  test.each([
    ['package-lock.json', '**'],
    ['./package-lock.json', 'package-lock.json'],
    ['apps/web/pnpm-lock.yaml', 'apps/**'],
    ['vendor/acme/till.go', 'vendor/**'],
    ['src/api.pb.go', 'src/*'],
    ['go.mod', '*'],
    ['docs/ChangeLog.md', 'docs/**'],
    ['vendor', 'vendor/**'],
    ['assets/logo.png', 'assets'],
  ])('%s is ignored on either side', async (ignored, other) => {
    const { create, check } = repository()
    await create({ scope: { paths: [ignored] } })
    expect((await check({ scope: { paths: [other] } })).overlap_detected).toBe(false)
    const elsewhere = repository()
    await elsewhere.create({ scope: { paths: [other] } })
    expect((await elsewhere.check({ scope: { paths: [ignored] } })).overlap_detected).toBe(false)
  })

  test('the other paths of the scope still count', async () => {
    const { createActivity, check } = repository()
    const id = await createActivity({ scope: { paths: ['package-lock.json', 'package.json'] } })
    const result = await check({ scope: { paths: ['package-lock.json', 'package.json'] } })
    expect(result.matches).toMatchObject([
      {
        id,
        severity: 'medium',
        areas: [],
        paths: [{ yours: 'package.json', theirs: 'package.json', example: 'package.json' }],
      },
    ])
  })

  test('a directory of code whose name is that of a changelog is compared', async () => {
    const { createActivity, check } = repository()
    const id = await createActivity({ scope: { paths: ['src/history'] } })
    expect((await check({ scope: { paths: ['src/history/list.ts'] } })).related_activity_ids).toEqual([id])
  })

  test('a glob with wildcards is not ignored', async () => {
    const { createActivity, check } = repository()
    const id = await createActivity({ scope: { paths: ['**/package-lock.json'] } })
    expect((await check({ scope: { paths: ['*-lock.json'] } })).related_activity_ids).toEqual([id])
  })

  test('the settings replace the defaults', async () => {
    const { configure, createActivity, check } = repository()
    const id = await createActivity({ scope: { paths: ['docs/a.md', 'package-lock.json'] } })
    await configure({ ignore_paths: ['docs'], noise_classes: { lock: false } })
    expect((await check({ scope: { paths: ['docs/a.md'] } })).related_activity_ids).toEqual([])
    expect((await check({ scope: { paths: ['package-lock.json'] } })).related_activity_ids).toEqual([id])
  })
})
