/** Which number of a directory is the next one (docs/contract/numbers.md#next), and which one an activity reserves. */
import { expect, test } from 'vitest'
import { listInBase, listInFiles, reservationOf } from '../../src/engine/check/next-number.ts'
import type { Source } from '../../src/engine/check/source.ts'
import { Failure } from '../../src/vocabulary/failure.ts'
import { liveRecords } from '../support/live-records.ts'

const directory = 'db/migrations'
const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const adding = (...paths: string[]) => ({
  scope: { changes: paths.map((path) => ({ path, status: 'added' })) },
})
const [OWN, OTHER] = ['act_00000000000000000000000000', 'act_00000000000000000000000001'] as const

/** The files of the activity, of another pull request, and of the base branch, and what each has reserved. */
interface Held {
  own?: string[]
  other?: string[]
  base?: string[]
  kept?: string
  reserved?: string
}

async function numbers({ own = ['0042_own.sql'], other = ['0042_other.sql'], base = [], ...held }: Held) {
  const reserved = [
    { activity_id: OTHER, number: held.reserved ?? '', pr_number: 12 },
    { activity_id: OWN, number: held.kept ?? '', pr_number: null },
  ].filter(({ number }) => number !== '')
  const { activity, ctx, end, checkActivity } = liveRecords({}, undefined, {
    reserved: async () => reserved,
    baseDirectory: async ({ base_branch }) => (base_branch === 'v1' ? base : null),
  })
  const add = (branch: string, names: string[], rest = {}) =>
    activity({
      branch,
      base_branch: 'v1',
      ...adding(...names.map((name) => `${directory}/${name}`)),
      ...rest,
    })
  await add('own', own)
  await add('other', other, { pr_url: 'https://github.com/acme/shop/pull/12' })
  end(await add('ended', ['0077_ended.sql']))
  return {
    next: async () => (await checkActivity(OWN)).matches[0]?.findings[0],
    reserve: async () => {
      const inBase = await listInBase(ctx, { directory, base_branch: 'v1' })
      return reservationOf(OWN, { directory, inBase, inFiles: await listInFiles(ctx, directory), reserved })
    },
  }
}

test.each<[string, Held, string]>([
  ['the files of both', {}, '0043'],
  ['its other files', { own: ['0042_own.sql', '0050_own.sql'] }, '0051'],
  ['other work', { other: ['0042_other.sql', '0060_other.sql', 'beneath/0070_other.sql'] }, '0061'],
  ['what is reserved', { reserved: '0043' }, '0044'],
  ['its base branch', { base: ['0057_base.sql', '0009_base.sql', 'README.md'] }, '0058'],
])('the next number is free of %s, for a check and a reservation', async (_, held, number) => {
  const { next, reserve } = await numbers(held)
  expect(await next()).toMatchObject({ kind: 'number', number: '0042', next: number })
  expect(await reserve()).toMatchObject({ directory, number, is_repeated: false })
})

test.each<[string, Held, string]>([
  ['0001 of an empty directory', { own: [], other: [] }, '0001'],
  ['the same again', { kept: '0050', reserved: '0051' }, '0050'],
  ['another once it has a file with it', { own: ['0050_own.sql'], kept: '0050' }, '0051'],
  ['another once it has one of any width', { own: ['1_own.sql'], other: [], kept: '0001' }, '2'],
  ['another once other work has it', { other: ['0050_other.sql'], kept: '0050' }, '0051'],
  ['another once the base branch has it', { base: ['0050_base.sql'], kept: '0050' }, '0051'],
])('an activity reserves %s', async (_, held, number) => {
  const { reserve } = await numbers(held)
  expect(await reserve()).toMatchObject({ number, is_repeated: number === held.kept })
})

test('a reservation names who has the other numbers, each once, the highest first', async () => {
  const { reserve } = await numbers({
    own: ['0040_own.up.sql', '0040_own.down.sql'],
    other: ['0044_other.sql'],
    base: ['0042_base.sql', '0007_base.sql'],
    ...{ kept: '0039', reserved: '0045' },
  })
  const holders = [`0045 #12`, `0044 #12`, `0042 base`, `0040 ${OWN}`]
  expect((await reserve()).taken.map(({ number, by }) => `${number} ${by}`)).toEqual(holders)
})

test('a reservation names at most 100 taken numbers', async () => {
  const { reserve } = await numbers({ own: range(101).map((n) => `${1000 + n}_own.sql`) })
  const { taken } = await reserve()
  expect([taken.length, taken.at(-1)?.number]).toEqual([100, '1001'])
})

test.each([
  ['20260102030405_users.rb', true],
  ['V20260102030405__users.sql', true],
  ['1234567_users.sql', false],
  ['users_20260102.sql', false],
])('%s is named by a timestamp, so that no number is reserved beside it: %s', async (name, isRefused) => {
  const { reserve } = await numbers({ base: [name] })
  const failure = await reserve().then(
    () => null,
    (error: Failure) => [error.kind, error.param],
  )
  expect(failure).toEqual(isRefused ? ['validation_error', 'directory'] : null)
})

test('without the base branch the next number is what is known, unless the service itself fails', async () => {
  const next = async (baseDirectory: Source['baseDirectory']) => {
    const { activity, check } = liveRecords({}, undefined, { baseDirectory })
    const inFour = (name: string) =>
      adding(...['adr', 'pep', 'rfc', 'versions'].map((each) => `${each}/0042_${name}.sql`))
    await activity(inFour('theirs'))
    const { matches } = await check(inFour('ours'))
    return matches[0]?.findings.map((each) => each.kind === 'number' && each.next)
  }
  const failing = (error: Error) => () => Promise.reject(error)
  // The fourth directory is not looked up.
  const known = ['0043', '0043', '0043', null]
  expect(await next(failing(new Failure('service_unavailable', '')))).toEqual(known)
  expect(await next(async () => null)).toEqual(known)
  await expect(next(failing(new Error('a bug')))).rejects.toThrow('a bug')
})
