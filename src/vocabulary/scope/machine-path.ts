/** Paths of somebody's machine, which no repository contains (docs/contract/overlap.md#paths). Pure. */

/** `C:\src`, `C:/src` or `\\host\share`. */
export function isMachinePath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\[^\\/])/.test(path)
}

export const MACHINE_PATH =
  'is a path of a Windows machine; send the path from the root of the repository, such as src/a.ts'
