/** The version of the package from which the page was built. */
declare const __VERSION__: string

export const VERSION = __VERSION__
