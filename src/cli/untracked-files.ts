/** Untracked files as additions, by path only: their authors have not decided to share the content. */
import type { Change } from './diff-output.ts'
import type { Git } from './git.ts'

const LIST = ['ls-files', '-z', '--full-name', '--others', '--exclude-standard', ':/']

/**
 * The untracked files of the whole working tree, except ignored ones; undefined if git fails. Neither a patch nor a hash of
 * the content is sent, because any of these files may contain a secret. Two added files with the same path conflict whatever
 * they contain.
 */
export async function untrackedChanges(git: Git, timeout_ms: number): Promise<Change[] | undefined> {
  const names = await git.output(LIST, { timeout_ms })
  if (names === undefined) return undefined
  // A name that ends in a slash is another repository.
  const paths = names.split('\0').filter((name) => name !== '' && !name.endsWith('/'))
  return paths.map((path) => ({ path, status: 'added' }))
}
