/**
 * The limits of a scope. This file imports nothing, so that the command can use it without loading
 * schemas.
 */

export const PATHS_MAX = 3000
/** Characters of a path. */
export const PATH_LENGTH_MAX = 1024
export const CHANGES_MAX = 3000
/** UTF-8 bytes of all patches of a request together. */
export const PATCHES_BYTES_MAX = 524_288
