/** What GitHub says of an activity: how its pull request differs from what was declared before, and its dates, which are not those of the import. */
import { expect, test } from 'vitest'
import type { FileGiven } from '../support/github-repository.ts'
import { editOfPay } from '../support/lines.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const { repository } = usePullRequests()

const listed = async () => (await repository.request('GET', '/activity')).body.items
const drift = async (id: string) => (await repository.request('GET', `/activity/${id}`)).body.drift

/** An activity with the scope, whose pull request changes the files. */
async function drifted(scope: object, files: FileGiven[], draft = false): Promise<string> {
  const id = await repository.createActivity({ branch: 'retries', scope })
  await repository.open({ head: 'retries', files, draft })
  return id
}

const renamed: FileGiven = { filename: 'src/new.ts', status: 'renamed', previous_filename: 'src/old.ts' }
const change = (path: string) => ({ path })

const AGREE = [[], []] as const

test.each<
  [string, object, FileGiven[], readonly [declared: readonly string[], changed: readonly string[]] | null]
>([
  [
    'lists what only one of the two has',
    { paths: ['src/pay/**', 'docs/', 'src/cart.ts'] },
    ['src/pay/retry.ts', 'src/cart.ts', 'README.md'],
    [['docs/'], ['README.md']],
  ],
  ['is empty if they agree', { paths: ['src'] }, ['src/pay.ts'], AGREE],
  ['counts declared files', { changes: [change('a'), change('b')] }, ['b', 'c'], [['a'], ['c']]],
  ['takes a declared file literally', { changes: [change('*.ts')] }, ['a.ts'], [['*.ts'], ['a.ts']]],
  ['compares a renamed file under both names', { paths: ['src/old.ts'] }, [renamed], AGREE],
  ['leaves out what is not compared', { paths: ['src/pay.ts'] }, ['src/pay.ts', 'package-lock.json'], AGREE],
  ['is null if no path was declared', { areas: ['payments'] }, ['src/pay.ts'], null],
])('drift %s', async (_, scope, files, expected) => {
  const [declared_only, changed_only] = expected ?? []
  expect(await drift(await drifted(scope, files))).toEqual(expected && { declared_only, changed_only })
})

test('drift lists 20 paths of each', async () => {
  const names = (directory: string) => Array.from({ length: 30 }, (_, index) => `${directory}/${index}.ts`)
  const found = await drift(await drifted({ paths: names('a') }, names('b')))
  expect(found).toEqual({ declared_only: names('a').slice(0, 20), changed_only: names('b').slice(0, 20) })
})

test('drift counts the globs of a declared area', async () => {
  await repository.writeFile('.github/deconflict.yml', 'areas:\n  payments: [src/pay/**]\n')
  const id = await drifted({ areas: ['Payments'] }, ['src/pay/a.ts', 'src/cart.ts'])
  expect(await drift(id)).toEqual({ declared_only: [], changed_only: ['src/cart.ts'] })
})

test('drift is null while the pull request is a draft, without one, after the end, and if nobody declared it', async () => {
  const id = await drifted({ paths: ['docs/'] }, ['src/pay.ts'], true)
  expect(await drift(id)).toBeNull()
  repository.githubRepo.update(1, { draft: false })
  await repository.deliver(1, 'ready_for_review')
  expect(await drift(id)).toEqual({ declared_only: ['docs/'], changed_only: ['src/pay.ts'] })
  await repository.request('POST', `/activity/${id}/archive`)
  expect(await drift(id)).toBeNull()
  expect(await drift(await repository.createActivity({ branch: 'other' }))).toBeNull()
  await repository.open({ head: 'undeclared' })
  expect(await drift((await listed())[0].id)).toBeNull()
})

test('a list says when a pull request was opened and last pushed, and whether it is by a bot', async () => {
  const opened_at = '2026-01-05T10:00:00.000Z'
  const number = await repository.open({ created_at: opened_at, files: [editOfPay(40, ['retry()'])] })
  await repository.createActivity()
  await repository.open({ author: { login: 'renovate[bot]', type: 'Bot' } })
  const [byBot, declared, byPerson] = await listed()
  expect(declared).not.toHaveProperty('pushed_at')
  expect(byPerson).toMatchObject({ opened_at, pushed_at: opened_at })
  expect(byPerson).not.toHaveProperty('is_bot')
  expect(byBot).toMatchObject({ is_bot: true })
  await repository.push(number, [editOfPay(40, ['again()'])])
  const pushed = (await listed()).at(-1)
  expect(pushed.opened_at).toBe(opened_at)
  expect(pushed.pushed_at > opened_at).toBe(true)
})
