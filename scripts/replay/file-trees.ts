/** Trees of only the files that a comparison is about, which git merges much faster than whole ones. */
import type { Git } from './git.ts'

/** The commands with which `git fast-import` makes a tree. The same commands make the same tree. */
export type Tree = string

export function wholeTree(id: string): Tree {
  return `M 040000 ${id} ""\n`
}

/** Trees by id, and the paths whose conflicts are asked for. */
export interface Narrowing<Name extends string> {
  trees: Record<Name, string>
  paths: readonly string[]
}

/**
 * Leaves only the paths of each case in its trees. Merges of these conflict in the same paths as merges of the whole trees,
 * because git finds no rename of a file that all of them contain. If one of them lacks a path, all remain whole.
 */
export async function narrow<Name extends string>(
  git: Git,
  cases: readonly Narrowing<Name>[],
): Promise<Record<Name, Tree>[]> {
  const idsOf = ({ trees }: Narrowing<Name>) => Object.values<string>(trees)
  const blobs = await blobsAt(
    git,
    cases.flatMap((each) => idsOf(each).flatMap((id) => each.paths.map((path) => `${id}:${path}`))),
  )
  return cases.map((each) => {
    const paths = [...new Set(each.paths)].sort()
    const areFiles = idsOf(each).every((id) => paths.every((path) => blobs.has(`${id}:${path}`)))
    const fileOf = (id: string, path: string) => `M 100644 ${blobs.get(`${id}:${path}`)} ${path}\n`
    const treeOf = (id: string) =>
      areFiles && paths.length > 0 ? paths.map((path) => fileOf(id, path)).join('') : wholeTree(id)
    const trees = Object.entries<string>(each.trees).map(([name, id]) => [name, treeOf(id)])
    return Object.fromEntries(trees) as Record<Name, Tree>
  })
}

/** The ids of files, by `<tree>:<path>`, without those that are missing or that have an unusual name. */
async function blobsAt(git: Git, names: readonly string[]): Promise<Map<string, string>> {
  const distinct = [...new Set(names)].filter((name) => !/\n|:"/.test(name))
  const blobs = new Map<string, string>()
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)']
  let at = 0
  for await (const line of git.records(args, distinct.map((name) => `${name}\n`).join(''), '\n')) {
    const name = distinct[at++] as string
    const [id = '', type] = line.split(' ')
    if (type === 'blob' && line !== `${name} missing`) blobs.set(name, id)
  }
  return blobs
}
