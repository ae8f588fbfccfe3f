/** Untracked files as additions, with the patch that `git diff` would show if they were added. */
import { createHash } from 'node:crypto'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PATCHES_MAX } from './change-limits.ts'
import { type Change, quoted } from './diff-output.ts'
import type { Git } from './git.ts'

/** The maximum number of files that are read. */
const READ_MAX = 3000
/** Git treats a file with a NUL in its first bytes as binary. */
const BINARY_PREFIX = 8000

const LIST = ['ls-files', '-z', '--full-name', '--others', '--exclude-standard', ':/']

/** The untracked files of the whole working tree, also when called in a subdirectory. Ignored files are left out. */
export async function untrackedChanges(git: Git, timeout_ms: number): Promise<Change[]> {
  const names = (await git.output(LIST, { timeout_ms })) ?? ''
  // A name with a slash at its end is another repository.
  const paths = names.split('\0').filter((name) => name !== '' && !name.endsWith('/'))
  const root = paths.length === 0 ? undefined : await git.root()
  const contents = root === undefined ? new Map<string, Buffer>() : await readSmallest(root, paths)
  const shas = await blobShas(git, [...contents.keys()], { root, timeout_ms })
  return paths.map((path) => {
    const [content, blob_sha] = [contents.get(path), shas.get(path)]
    const patch = content && blob_sha && isBlob(content, blob_sha) ? addedPatch(content) : undefined
    return { path, status: 'added', ...(blob_sha && { blob_sha }), ...(patch && { patch }) }
  })
}

/** The contents of the smallest regular files, whose patches can fit into one request. */
async function readSmallest(root: string, paths: readonly string[]): Promise<Map<string, Buffer>> {
  const sized = await Promise.all(
    paths.slice(0, READ_MAX).map(async (path) => {
      const stats = await lstat(join(root, path)).catch(() => undefined)
      return { path, size: stats?.isFile() ? stats.size : Number.POSITIVE_INFINITY }
    }),
  )
  let left = PATCHES_MAX
  const fitting = sized
    .toSorted((a, b) => a.size - b.size)
    .filter(({ size }) => {
      left -= size
      return left >= 0
    })
  const contents = await Promise.all(
    fitting.map(async ({ path }) => ({
      path,
      content: await readFile(join(root, path)).catch(() => undefined),
    })),
  )
  return new Map(contents.flatMap(({ path, content }) => (content ? [[path, content] as const] : [])))
}

/** The blobs that `git add` would store, after filters and conversion of line ends. */
async function blobShas(
  git: Git,
  paths: readonly string[],
  { root, timeout_ms }: { root: string | undefined; timeout_ms: number },
): Promise<Map<string, string>> {
  if (root === undefined || paths.length === 0) return new Map()
  const input = paths.map((path) => `${quoted(path)}\n`).join('')
  const output = await git.output(['-C', root, 'hash-object', '--stdin-paths'], { input, timeout_ms })
  const shas = output?.split('\n') ?? []
  return new Map(paths.flatMap((path, index) => (shas[index] ? [[path, shas[index]] as const] : [])))
}

/** Whether git would store `content` unchanged. */
function isBlob(content: Buffer, sha: string): boolean {
  const hash = createHash(sha.length === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex') === sha
}

/** Undefined for an empty or binary file, for which git shows no hunk. */
export function addedPatch(content: Buffer): string | undefined {
  if (content.length === 0 || content.subarray(0, BINARY_PREFIX).includes(0)) return undefined
  const text = content.toString('utf8')
  const isEnded = text.endsWith('\n')
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n')
  const count = lines.length === 1 ? '' : `,${lines.length}`
  const end = isEnded ? '' : '\\ No newline at end of file\n'
  return `@@ -0,0 +1${count} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`
}
