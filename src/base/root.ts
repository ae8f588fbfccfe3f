/** Where this package is. A file of its own: bundles leave it where it is, so that the path stays right. */

/** The directory of package.json; the same path from `src` and from `dist`. */
export const ROOT = new URL('../../', import.meta.url)
