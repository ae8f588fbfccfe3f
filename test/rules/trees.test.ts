/** The names of changed files that GitHub left out of a comparison, from the trees of its two commits. */
import { describe, expect, test } from 'vitest'
import { LIST_LIMITS, type ListedFile, type Reader } from '../../src/server/github/repository-calls.ts'
import { completeFiles } from '../../src/server/github/trees.ts'

const REPO = { owner: 'acme', name: 'shop' }

const listed = (filename: string, changes: Partial<ListedFile> = {}): ListedFile => ({
  filename,
  status: 'modified',
  sha: 'b',
  additions: 1,
  deletions: 1,
  patch: '@@ -1 +1 @@\n-a\n+b',
  ...changes,
})
const LIMITS = { ...LIST_LIMITS, compared_files: 3 }
const FULL = Array.from({ length: 2 }, (_, index) => listed(`listed/${index}.ts`))

type Entry = string | { sha?: string; mode?: string; type?: string }

/** A client that knows two trees, and counts the calls. `null`: GitHub truncates the tree. */
function reader(trees: { base: Record<string, Entry> | null; head: Record<string, Entry> | null }) {
  const calls: string[] = []
  const getTree = async ({ tree_sha }: { tree_sha: string }) => {
    calls.push(tree_sha)
    const entries = Object.entries(trees[tree_sha as 'base' | 'head'] ?? {})
    const tree = entries.map(([path, entry]) => {
      const given = typeof entry === 'string' ? { sha: entry } : entry
      return { path, mode: '100644', type: 'blob', sha: 'a', ...given }
    })
    return { data: { truncated: trees[tree_sha as 'base' | 'head'] === null, tree } }
  }
  return { calls, client: { rest: { git: { getTree } } } as unknown as Reader }
}

/** The completed files after the first two, by name and status. */
async function added(last: ListedFile, trees: Parameters<typeof reader>[0]) {
  const comparison = { files: [...FULL, last], merge_base_sha: 'base' }
  const { files, is_complete } = await completeFiles(reader(trees).client, REPO, comparison, {
    head_sha: 'head',
    limits: LIMITS,
  })
  return { is_complete, files: files.slice(3).map(({ filename, status, sha }) => [filename, status, sha]) }
}

describe('the files beyond', () => {
  test.each<[string, Record<string, Entry>, Record<string, Entry>, (string | null)[][]]>([
    ['an added file', {}, { 'z.ts': 'new' }, [['z.ts', 'added', 'new']]],
    ['a removed file, with the blob that it had', { 'z.ts': 'old' }, {}, [['z.ts', 'removed', 'old']]],
    ['a changed file', { 'z.ts': 'old' }, { 'z.ts': 'new' }, [['z.ts', 'modified', 'new']]],
    [
      'a file that became executable',
      { 'z.sh': {} },
      { 'z.sh': { mode: '100755' } },
      [['z.sh', 'modified', 'a']],
    ],
    ['a submodule', {}, { lib: { type: 'commit', mode: '160000' } }, [['lib', 'added', 'a']]],
    ['no file that is the same', { 'z.ts': 'old' }, { 'z.ts': 'old' }, []],
    ['no directory', {}, { src: { type: 'tree', mode: '040000' } }, []],
    ['no file that is listed', {}, { 'last.ts': 'new' }, []],
    [
      'each by its path',
      {},
      { 'z.ts': 'new', 'a.ts': 'new' },
      [
        ['a.ts', 'added', 'new'],
        ['z.ts', 'added', 'new'],
      ],
    ],
  ])('contain %s', async (_, base, head, files) => {
    expect(await added(listed('last.ts'), { base, head })).toEqual({ is_complete: true, files })
  })

  test('do not contain the former name of a listed rename', async () => {
    const last = listed('new.ts', { status: 'renamed', previous_filename: 'old.ts' })
    const trees = { base: { 'old.ts': 'a' }, head: { 'new.ts': 'a' } }
    expect(await added(last, trees)).toEqual({ is_complete: true, files: [] })
  })

  test('contain the source of a listed copy, if it was changed too', async () => {
    const last = listed('copy.ts', { status: 'copied', previous_filename: 'source.ts' })
    const trees = { base: { 'source.ts': 'a' }, head: { 'source.ts': 'b', 'copy.ts': 'a' } }
    expect(await added(last, trees)).toEqual({ is_complete: true, files: [['source.ts', 'modified', 'b']] })
  })

  test.each([
    ['merge base', { base: null, head: {} }],
    ['head', { base: {}, head: null }],
  ])('are unknown if the tree of the %s is truncated', async (_, trees) => {
    expect(await added(listed('last.ts'), trees)).toEqual({ is_complete: false, files: [] })
  })
})

test('a list that GitHub did not cut is complete, without a call', async () => {
  const { client, calls } = reader({ base: {}, head: {} })
  const comparison = { files: FULL, merge_base_sha: 'base' }
  const completed = await completeFiles(client, REPO, comparison, { head_sha: 'head', limits: LIMITS })
  expect(completed).toEqual({ files: FULL, is_complete: true })
  expect(calls).toEqual([])
})
