/** The changed files of pull requests in the form of GitHub's list of files, from a single `git diff-tree`. */
import { randomUUID } from 'node:crypto'
import { changeOf, type FileChange, type FileEntry } from '../../src/engine/lines/change.ts'
import type { LineHasher } from '../../src/engine/lines/line-hash.ts'
import type { Git } from './git.ts'

/** The maximum that GitHub lists. */
const FILES_MAX = 3000
const STATUSES: Record<string, string> = {
  A: 'added',
  C: 'copied',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  T: 'changed',
}
const OPTIONS = ['-r', '-M', '-l1000', '-z', '--raw', '--numstat', '-p', '-U3', '--full-index', '--no-abbrev']

/** Yields the changed files of each pair of trees, in order, without those that are absent in the mirror. */
export async function* changedFiles(
  git: Git,
  trees: readonly { from: string; to: string }[],
  { hash, absent }: { hash: LineHasher; absent: ReadonlySet<string> },
): AsyncGenerator<FileChange[]> {
  for await (const entries of fileEntries(git, trees, absent))
    yield entries.flatMap((entry) => changeOf(entry, hash) ?? [])
}

/** As `changedFiles`, in the form of GitHub's list, with patches. */
export async function* fileEntries(
  git: Git,
  trees: readonly { from: string; to: string }[],
  absent: ReadonlySet<string>,
): AsyncGenerator<FileEntry[]> {
  // git copies a line that is not a pair of trees to the output, so it marks the end of the preceding output. That may end
  // with a NUL instead of a newline, so only a line that is in no file is safe.
  const end = `end ${randomUUID()}\n`
  const input = trees.map(({ from, to }) => `${from} ${to}\n${end}`).join('')
  const args = ['diff-tree', '--stdin', '--no-ext-diff', '--no-textconv', ...OPTIONS]
  for await (const record of git.records(args, input, end))
    yield entriesOf(record.slice(record.indexOf('\n') + 1), absent)
      .filter(({ blobs }) => blobs.every((id) => !absent.has(id)))
      .map(({ entry }) => entry)
}

/** Parses the output of `git diff-tree -z --raw --numstat -p` for two trees: fields that end with NUL, an empty field, and patches. */
function entriesOf(output: string, absent: ReadonlySet<string>): { entry: FileEntry; blobs: string[] }[] {
  const end = output.indexOf('\0\0')
  if (end === -1) return []
  const fields = output.slice(0, end).split('\0')
  const patches = output
    .slice(end + 2)
    .split(/^diff --git /m)
    .slice(1)
  const entries: { entry: FileEntry; blobs: string[]; letter: string }[] = []
  let at = 0
  const next = () => fields[at++] ?? ''
  while (fields[at]?.startsWith(':')) {
    const [, , before = '', after = '', kind = ''] = next().split(' ')
    const letter = kind.charAt(0)
    const previous = next()
    const filename = letter === 'R' || letter === 'C' ? next() : previous
    const entry = {
      filename,
      status: STATUSES[letter],
      sha: letter === 'D' ? before : after,
      ...(letter === 'R' ? { previous_filename: previous } : {}),
    }
    entries.push({ entry, blobs: [before, after], letter })
  }
  let patch_at = 0
  for (const { entry, blobs, letter } of entries) {
    // Absent files are empty, so git shows neither counts nor a patch between two.
    if (letter === 'M' && blobs.every((id) => absent.has(id))) continue
    const [additions = '', deletions = '', name] = next().split('\t')
    // The two names of a renamed file are in separate fields.
    if (name === '') at += 2
    entry.additions = Number(additions) || 0
    entry.deletions = Number(deletions) || 0
    const patch = patches[patch_at] ?? ''
    // A change of type, such as from a file to a link, is shown as a removal and an addition, which is not a patch of one file.
    const isSinglePatch = letter !== 'T'
    patch_at += isSinglePatch ? 1 : 2
    const hunks = patch.search(/^@@ /m)
    if (isSinglePatch && hunks !== -1) entry.patch = patch.slice(hunks)
  }
  return entries.slice(0, FILES_MAX)
}
