/** Where this package is. Bundles import this file instead of including it, so that the relative path stays right. */

/** The directory of package.json; the same path from `src` and from `dist`. */
export const ROOT = new URL('../../', import.meta.url)
