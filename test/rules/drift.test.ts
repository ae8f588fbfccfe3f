/** How the files of a ready pull request differ from what was declared before it (docs/contract/lines.md#drift). */
import { expect, test } from 'vitest'
import { driftOf } from '../../src/engine/check/drift.ts'
import type { ComparedFields } from '../../src/engine/records/activity.ts'
import { Meter } from '../../src/vocabulary/clock.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { change } from '../support/lines.ts'

const CTX = {
  settings: { ...DEFAULT_SETTINGS, areas: { payments: ['src/pay/**'] } },
  repo: { web_urls: [], is_tracked: true, noise_attributes: [] },
  caller: { meter: new Meter(), findIdentity: async () => null },
}
const filesOf = (paths: string[]) => paths.map((path) => change({ path }))
const paths = (...paths: string[]): Partial<ComparedFields> => ({ scope: { areas: [], paths } })
const area = (label: string): Partial<ComparedFields> => ({ scope: { areas: [label], paths: [] } })
const files = (...paths: string[]): Partial<ComparedFields> => ({ changed_files: filesOf(paths) })

const drift = (declared: Partial<ComparedFields>, pushed: string[]) =>
  driftOf(CTX, {
    ...{ scope: { areas: [], paths: [] }, scope_is_literal: false, changed_files: [], issue: null },
    ...{ pushed_files: filesOf(pushed), pr_number: 7, draft_pr: false, closes: null, ...declared },
  })

const AGREE = [[], []] as const
const RENAMED = {
  ...paths('src/old.ts'),
  pushed_files: [change({ path: 'src/new.ts', status: 'renamed', previous_path: 'src/old.ts' })],
}
const namesIn = (directory: string) => Array.from({ length: 30 }, (_, index) => `${directory}/${index}.ts`)
const [A, B] = [namesIn('a'), namesIn('b')]

test.each<
  [string, Partial<ComparedFields>, string[], readonly [readonly string[], readonly string[]] | null]
>([
  [
    'lists what only one of the two has',
    paths('src/pay/**', 'docs/', 'src/cart.ts'),
    ['src/pay/retry.ts', 'src/cart.ts', 'README.md'],
    [['docs/'], ['README.md']],
  ],
  ['is empty if they agree', paths('src'), ['src/pay.ts'], AGREE],
  ['counts declared files', files('a', 'b'), ['b', 'c'], [['a'], ['c']]],
  ['takes a declared file literally', files('*.ts'), ['a.ts'], [['*.ts'], ['a.ts']]],
  ['compares a renamed file under both names', RENAMED, [], AGREE],
  ['leaves out what is not compared', paths('src/pay.ts'), ['src/pay.ts', 'package-lock.json'], AGREE],
  ['… also of what was declared', paths('src', 'go.sum'), ['src/pay.ts'], AGREE],
  ['… with its lines', files('a', 'go.sum'), ['a'], AGREE],
  ['counts the globs of a declared area', area('Payments'), ['src/pay/a.ts', 'b.ts'], [[], ['b.ts']]],
  ['lists 20 paths of each', paths(...A), B, [A.slice(0, 20), B.slice(0, 20)]],
  ['is null if no path was declared', area('till'), ['src/pay.ts'], null],
  ['is null while the pull request is a draft', { ...paths('docs/'), draft_pr: true }, ['a.ts'], null],
  ['is null without a pull request', { ...paths('docs/'), pr_number: null }, ['a.ts'], null],
  ['is null if nobody declared it', { ...paths('docs/'), scope_is_literal: true }, ['a.ts'], null],
])('drift %s', async (_, declared, pushed, expected) => {
  const [declared_only, changed_only] = expected ?? []
  expect(await drift(declared, pushed)).toEqual(expected && { declared_only, changed_only })
})
