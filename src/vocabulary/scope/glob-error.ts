/** The error for an invalid glob. */

/** `message` continues a sentence that starts with the name of the field. It does not repeat the glob. */
export class GlobError extends Error {
  override readonly name = 'GlobError'
}
