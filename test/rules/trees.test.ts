/** Which names of changed files that GitHub left out of a comparison the trees of its two commits show, by their kind. */
import { describe, expect, test } from 'vitest'
import type { FileEntry } from '../../src/engine/lines/change.ts'
import { LIST_LIMITS, type Reader } from '../../src/server/github/repository-calls.ts'
import { completeFiles } from '../../src/server/github/trees.ts'

const REPO = { owner: 'acme', name: 'shop' }

const listed = (filename: string, changes: Partial<FileEntry> = {}): FileEntry => ({
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

interface Trees {
  base: Record<string, Entry>
  head: Record<string, Entry>
}

/** A client that knows two trees. */
function reader(trees: Trees): Reader {
  const getTree = async ({ tree_sha }: { tree_sha: 'base' | 'head' }) => {
    const tree = Object.entries(trees[tree_sha]).map(([path, entry]) => {
      const given = typeof entry === 'string' ? { sha: entry } : entry
      return { path, mode: '100644', type: 'blob', sha: 'a', ...given }
    })
    return { data: { truncated: false, tree } }
  }
  return { rest: { git: { getTree } } } as unknown as Reader
}

/** The completed files beyond the listed ones: name, status and blob. */
async function added(last: FileEntry, trees: Trees) {
  const comparison = { files: [...FULL, last], merge_base_sha: 'base' }
  const { files } = await completeFiles(reader(trees), REPO, comparison, { head_sha: 'head', limits: LIMITS })
  return files.slice(3).map(({ filename, status, sha }) => [filename, status, sha])
}

describe('the files beyond', () => {
  test.each<[string, Record<string, Entry>, Record<string, Entry>, (string | null)[][]]>([
    [
      'a file that became executable',
      { 'z.sh': {} },
      { 'z.sh': { mode: '100755' } },
      [['z.sh', 'modified', 'a']],
    ],
    ['a submodule', {}, { lib: { type: 'commit', mode: '160000' } }, [['lib', 'added', 'a']]],
    ['no directory', {}, { src: { type: 'tree', mode: '040000' } }, []],
  ])('contain %s', async (_, base, head, files) => {
    expect(await added(listed('last.ts'), { base, head })).toEqual(files)
  })

  test('do not contain the former name of a listed rename', async () => {
    const last = listed('new.ts', { status: 'renamed', previous_filename: 'old.ts' })
    const trees = { base: { 'old.ts': 'a' }, head: { 'new.ts': 'a' } }
    expect(await added(last, trees)).toEqual([])
  })

  test('contain the source of a listed copy, if it was changed too', async () => {
    const last = listed('copy.ts', { status: 'copied', previous_filename: 'source.ts' })
    const trees = { base: { 'source.ts': 'a' }, head: { 'source.ts': 'b', 'copy.ts': 'a' } }
    expect(await added(last, trees)).toEqual([['source.ts', 'modified', 'b']])
  })
})
