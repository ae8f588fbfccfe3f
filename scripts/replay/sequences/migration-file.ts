/** Reads a file of Django's or Alembic's migrations as a whole, for the truth of a replay: without the reader of the service. Pure. */

/** A node of the graph of migrations. */
export interface MigrationFile {
  kind: 'django' | 'alembic'
  /** The revision of Alembic; of Django null, because the name of the file is the name. */
  revision: string | null
  /** What it builds on; of Django with the app. */
  parents: { app: string | null; name: string }[]
  /** The migrations of Django that a squashed one replaces. */
  replaced: string[]
}

export function parseMigration(text: string): MigrationFile | null {
  const code = text.replace(/^\s*#.*$/gm, '')
  const down = /^down_revision\b/m.exec(code)
  if (down) {
    const [revision] = stringsIn(assigned(code, /^revision\b[^=\n]*=/m) ?? '')
    const parents = stringsIn(assigned(code, /^down_revision\b[^=\n]*=/m) ?? '')
    if (revision === undefined) return null
    return { kind: 'alembic', revision, parents: parents.map((name) => ({ app: null, name })), replaced: [] }
  }
  if (!/^class Migration\b/m.test(code) || !/\bmigrations\.Migration\b|\(Migration\)/.test(code)) return null
  return {
    kind: 'django',
    revision: null,
    parents: pairsIn(assigned(code, /^\s+dependencies\b[^=\n]*=/m) ?? ''),
    replaced: pairsIn(assigned(code, /^\s+replaces\b[^=\n]*=/m) ?? '').map(({ name }) => name),
  }
}

/** The value after `name`: until its brackets are closed, or to the end of the line. */
function assigned(code: string, name: RegExp): string | null {
  const found = name.exec(code)
  if (found === null) return null
  const start = found.index + found[0].length
  let depth = 0
  for (let at = start; at < code.length; at += 1) {
    const character = code.charAt(at)
    if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    else if (character === '\n' && depth === 0) return code.slice(start, at)
  }
  return code.slice(start)
}

function stringsIn(value: string): string[] {
  return [...value.matchAll(/(["'])(.*?)\1/g)].map(([, , text]) => text as string)
}

function pairsIn(value: string): MigrationFile['parents'] {
  return [...value.matchAll(/\(([^()]*)\)/g)].flatMap(([, inside]) => {
    const [app, name] = stringsIn(inside as string)
    return app === undefined || name === undefined ? [] : [{ app, name }]
  })
}

export interface Graph {
  /** The paths of the migrations on which no other builds. */
  leaves: Set<string>
  /** How many parents are not there. */
  missing: number
}

/** `files`: by path, those of one directory of Django, or of one root of Alembic. */
export function graphOf(files: ReadonlyMap<string, MigrationFile>): Graph {
  const nodes = [...files].map(([path, file]) => ({ path, file, name: file.revision ?? stemOf(path) }))
  const squashed = new Map(
    nodes.flatMap(({ file, name }) => file.replaced.map((each) => [each, name] as const)),
  )
  const names = new Set(nodes.map(({ name }) => name))
  const app = appOf(files, names)
  const parents = nodes.flatMap(({ file }) =>
    file.parents.filter((parent) => parent.app === null || parent.app === app).map(({ name }) => name),
  )
  const inner = new Set([
    ...parents,
    ...parents.flatMap((each) => squashed.get(each) ?? []),
    ...squashed.keys(),
  ])
  return {
    leaves: new Set(nodes.filter(({ name }) => !inner.has(name)).map(({ path }) => path)),
    missing: parents.filter((name) => !names.has(name) && !squashed.has(name)).length,
  }
}

/** The app whose migrations these are: most of the parents that are there name it. Else the directory above names it. */
function appOf(files: ReadonlyMap<string, MigrationFile>, names: ReadonlySet<string>): string | undefined {
  const counts = new Map<string, number>()
  for (const { app, name } of [...files.values()].flatMap(({ parents }) => parents))
    if (app !== null && names.has(name)) counts.set(app, (counts.get(app) ?? 0) + 1)
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
  const [path] = files.keys()
  return most ? most[0] : path?.split('/').at(-3)
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.py$/, '')
}
