/** Why a glob is refused (contract §6): a sentence for whoever wrote it. */

/** `message` is one plain sentence to act on; it never repeats the glob itself. */
export class GlobError extends Error {
  override readonly name = 'GlobError'
}
