/** How a pull request differs from what was declared before it, on retrieval. */
import { expect, test } from 'vitest'
import type { FileGiven } from '../support/github-repository.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const { repository } = usePullRequests()

const drift = async (id: string) => (await repository.request('GET', `/activity/${id}`)).body.drift

/** An activity with the scope, whose pull request changes the files. */
async function drifted(scope: object, files: FileGiven[], draft = false): Promise<string> {
  const id = await repository.createActivity({ branch: 'retries', scope })
  await repository.open({ head: 'retries', files, draft })
  return id
}

const renamed: FileGiven = { filename: 'src/new.ts', status: 'renamed', previous_filename: 'src/old.ts' }
const change = (path: string) => ({ path })

test.each<[string, object, FileGiven[], object | null]>([
  [
    'lists what only one of the two has',
    { paths: ['src/pay/**', 'docs/', 'src/cart.ts'] },
    ['src/pay/retry.ts', 'src/cart.ts', 'README.md'],
    { declared_only: ['docs/'], changed_only: ['README.md'] },
  ],
  ['is empty if they agree', { paths: ['src'] }, ['src/pay.ts'], { declared_only: [], changed_only: [] }],
  [
    'counts declared files',
    { changes: [change('src/a.ts'), change('src/b.ts')] },
    ['src/b.ts', 'src/c.ts'],
    { declared_only: ['src/a.ts'], changed_only: ['src/c.ts'] },
  ],
  [
    'takes a declared file literally',
    { changes: [change('src/*.ts')] },
    ['src/a.ts'],
    { declared_only: ['src/*.ts'], changed_only: ['src/a.ts'] },
  ],
  [
    'compares a renamed file under both names',
    { paths: ['src/old.ts'] },
    [renamed],
    { declared_only: [], changed_only: [] },
  ],
  [
    'leaves out files that take no part in comparisons',
    { paths: ['src/pay.ts'] },
    ['src/pay.ts', 'package-lock.json'],
    { declared_only: [], changed_only: [] },
  ],
  ['is null if no path was declared', { areas: ['payments'] }, ['src/pay.ts'], null],
])('drift %s', async (_, scope, files, expected) => {
  expect(await drift(await drifted(scope, files))).toEqual(expected)
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

test('drift is null while the pull request is a draft, without one, and after the end', async () => {
  const id = await drifted({ paths: ['docs/'] }, ['src/pay.ts'], true)
  expect(await drift(id)).toBeNull()
  repository.githubRepo.update(1, { draft: false })
  await repository.deliver(1, 'ready_for_review')
  expect(await drift(id)).toEqual({ declared_only: ['docs/'], changed_only: ['src/pay.ts'] })
  await repository.request('POST', `/activity/${id}/archive`)
  expect(await drift(id)).toBeNull()
  expect(await drift(await repository.createActivity({ branch: 'other' }))).toBeNull()
})

test('drift is null for the activity of a pull request that nobody declared', async () => {
  await repository.open({ head: 'retries', files: ['src/pay.ts'] })
  const { items } = (await repository.request('GET', '/activity')).body
  expect(await drift(items[0].id)).toBeNull()
})
