/** Untracked files as additions, by path only: their authors have not decided to share the content. */
import type { Change } from './diff-output.ts'
import type { Git } from './git.ts'

const LIST = ['ls-files', '-z', '--full-name', '--others', '--exclude-standard', ':/']

/**
 * Of the whole working tree, also in a directory below its root. Ignored files are excluded. Neither a patch
 * nor a hash of the content is sent, because any of these files may hold a secret, whatever its name is. Two added files of
 * one path conflict without their content.
 */
export async function untrackedChanges(git: Git, timeout_ms: number): Promise<Change[] | undefined> {
  const names = await git.output(LIST, { timeout_ms })
  if (names === undefined) return undefined
  // A name with a slash at its end is another repository.
  const paths = names.split('\0').filter((name) => name !== '' && !name.endsWith('/'))
  return paths.map((path) => ({ path, status: 'added' }))
}
