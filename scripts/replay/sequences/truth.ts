/**
 * Whether two heads in one tree really hold a number twice, or leave two leaves in a graph of migrations. Judged from the
 * files of that tree alone, not by the rule of the service.
 */
import { type Branch, type Commit, tipAt } from '../commits.ts'
import type { Git } from '../git.ts'
import { type Held, type Meeting, rootsOf } from './meetings.ts'
import { type MigrationFile, parseMigration } from './migration-file.ts'
import { isNumbered, isReadFrom, joinsParents, numberIn, takesTwice } from './trees.ts'

/** What both heads together do in a directory. */
export interface Finding {
  kind: 'number' | 'parent'
  directory: string
  /**
   * `gone`: one of them renames or removes the parent of the other. `unknown`: one of them breaks it alone, or the directory
   * has too few files to say that it is numbered.
   */
  verdict: 'twice' | 'once' | 'gone' | 'unknown'
  /** The files of both that take the same, in the order of the meeting; empty unless `twice`. */
  files: string[]
}

/** Blobs by path. */
export type Files = ReadonlyMap<string, string>

/** A directory in which both heads add a file. */
export interface Case {
  root: string
  kind: Finding['kind']
  added: readonly [ReadonlySet<string>, ReadonlySet<string>]
  /** On each of several bases, the most likely one first. */
  trees: Trees[]
}

/** The files of a base, the same with either side, and with both. */
export interface Trees {
  base: Files
  one: Files
  other: Files
  both: Files
}

/** The results are in the order of `meetings`. */
export async function judge(
  git: Git,
  history: Parameters<typeof tipAt>[0],
  meetings: readonly Meeting[],
): Promise<Finding[][]> {
  const list = listerOf(git)
  const cases: Case[][] = []
  for (const meeting of meetings) {
    cases.push(await casesOf(basesOf(history, meeting), meeting, list))
  }
  const migrations = await readMigrations(git, cases.flat())
  return cases.map((all) => all.flatMap((each) => findingOf(each, migrations) ?? []))
}

/** The base branch at the time of the later push, and the two merge bases, the newer one first. */
function basesOf(history: Parameters<typeof tipAt>[0], { one, other }: Meeting): Commit[] {
  const { arrival } = history.branches[one.pr.branch] as Branch
  const tip = tipAt(history, one.pr.branch, Math.max(one.revision.at, other.revision.at))
  const merge_bases = [one.revision.base, other.revision.base].toSorted(
    (a, b) => (arrival[b] as number) - (arrival[a] as number),
  )
  return [...new Set([tip, ...merge_bases.map((at) => history.commits.all[at] as Commit)])]
}

async function casesOf(bases: readonly Commit[], { one, other }: Meeting, list: Lister): Promise<Case[]> {
  const [mine, its] = [addedBy(one), addedBy(other)]
  const added = [new Set(mine.map(({ path }) => path)), new Set(its.map(({ path }) => path))] as const
  const roots = new Map<string, Pick<Case, 'root' | 'kind'>>()
  for (const my of mine)
    for (const their of its) {
      if (my.path === their.path) continue
      const kinds = [
        ...(my.number !== null && my.number === their.number ? (['number'] as const) : []),
        ...(my.path.endsWith('.py') && their.path.endsWith('.py') ? (['parent'] as const) : []),
      ]
      for (const kind of kinds)
        for (const root of my.roots.filter((each) => their.roots.includes(each)))
          roots.set(`${kind} ${root}`, { root, kind })
    }
  const cases: Case[] = []
  for (const { root, kind } of roots.values()) {
    const trees: Trees[] = []
    for (const { tree } of bases) {
      const base = await list(tree, root)
      const [with_one, with_other] = [applied(base, root, one), applied(base, root, other)]
      const both = with_one && applied(with_one, root, other)
      if (with_one && with_other && both) trees.push({ base, one: with_one, other: with_other, both })
    }
    cases.push({ root, kind, added, trees })
  }
  return cases
}

function addedBy({ revision }: Held) {
  return revision.changes.files
    .filter(({ status }) => status === 'added' || status === 'renamed')
    .map(({ path }) => ({ path, roots: rootsOf(path), number: numberIn(path)?.key ?? null }))
}

/** The files below `root` after the change of a side; null if it changes a file that is not there, or adds one that is. */
function applied(files: Files, root: string, { revision }: Held): Files | null {
  const tree = new Map(files)
  const isBelow = (path: string) => rootsOf(path).includes(root)
  for (const { path, previous_path, status, blob_sha } of revision.changes.files) {
    const before = status === 'added' ? null : (previous_path ?? path)
    if (before === null ? tree.has(path) : isBelow(before) && !tree.delete(before)) return null
    if (status !== 'removed' && isBelow(path)) tree.set(path, blob_sha ?? '')
  }
  return tree
}

type Lister = (tree: string, directory: string) => Promise<Files>

function listerOf(git: Git): Lister {
  const known = new Map<string, Promise<Files>>()
  const read = async (tree: string, directory: string) => {
    const recursive = rootsOf(`${directory}/x/a.py`).includes(directory) ? ['-r'] : []
    const listed = await git.text(['ls-tree', '-z', ...recursive, `${tree}:${directory}`]).catch(() => '')
    const entries = listed.split('\0').flatMap((line) => {
      const [, id, name] = /^\d+ blob (\w+)\t(.*)$/s.exec(line) ?? []
      return id && name ? [[directory === '' ? name : `${directory}/${name}`, id] as const] : []
    })
    return new Map(entries)
  }
  return (tree, directory) => {
    const key = `${tree}:${directory}`
    const found = known.get(key) ?? read(tree, directory)
    known.set(key, found)
    return found
  }
}

/** By blob. */
export type Migrations = ReadonlyMap<string, MigrationFile>

async function readMigrations(git: Git, cases: readonly Case[]): Promise<Migrations> {
  const files = cases.flatMap(({ trees }) => trees).flatMap(({ one, other }) => [...one, ...other])
  const ids = [...new Set(files.flatMap(([path, id]) => (path.endsWith('.py') ? [id] : [])))]
  const found = new Map<string, MigrationFile>()
  if (ids.length === 0) return found
  // git answers a line that names no object by repeating it, which ends the text before.
  const input = ids.map((id) => `${id}\n=end=\n`).join('')
  let at = 0
  for await (const record of git.records(['cat-file', '--batch'], input, '\n=end= missing\n')) {
    const migration = parseMigration(record.slice(record.indexOf('\n') + 1))
    const id = ids[at++]
    if (migration && id !== undefined) found.set(id, migration)
  }
  return found
}

/** Null if it is not about numbers or parents. */
function findingOf({ root, kind, added, trees }: Case, migrations: Migrations): Finding | null {
  const [first] = trees
  if (first === undefined) return null
  const [mine, its] = [
    [...added[0]].filter((path) => first.one.has(path)),
    [...added[1]].filter((path) => first.other.has(path)),
  ]
  const isMigration = (path: string) => migrations.has(first.both.get(path) ?? '')
  const isInGraph = (path: string) => isReadFrom(root, path, migrations.get(first.both.get(path) ?? ''))
  if (kind === 'parent' && !(mine.some(isInGraph) && its.some(isInGraph))) return null
  if (kind === 'number' && mine.some(isMigration) && its.some(isMigration)) return null
  const found = { kind, directory: root }
  if (kind === 'number') {
    if (!mine.some((path) => isNumbered(first.base, root, path)))
      return { ...found, verdict: 'unknown', files: [] }
    const files = takesTwice(first, mine, its)
    return { ...found, verdict: files ? 'twice' : 'once', files: files ?? [] }
  }
  for (const each of trees) {
    const joined = joinsParents(each, { root, added, migrations })
    if (typeof joined === 'object') return { ...found, verdict: 'twice', files: joined }
    if (joined !== 'unknown') return { ...found, verdict: joined, files: [] }
  }
  return { ...found, verdict: 'unknown', files: [] }
}
