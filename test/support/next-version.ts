/** Copies of the built service: with one more migration, as in the version that follows this one, or with a bug. */
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Later than every migration of this version. */
const MADE_AT = Date.parse('2100-01-01')

export type NextVersion = ReturnType<typeof versionIn>

/** `migrations`: the SQL of each following migration. */
export async function nextVersion(migrations: string[]): Promise<NextVersion> {
  const directory = await copiedBuild()
  await addMigrations(directory, migrations)
  return versionIn(directory)
}

/** `from` stands once in the bundle, and is replaced. */
export async function buggyVersion([from, to]: [from: string, to: string]): Promise<NextVersion> {
  const [file, ...others] = await filesWith(from)
  if (file === undefined || others.length > 0)
    throw new Error(`the bundle has it never, or more than once: ${from}`)
  const directory = await copiedBuild()
  await writeFile(
    join(directory.path, file.name),
    file.code.replace(from, () => to),
  )
  return versionIn(directory)
}

/** The files of the bundle that have the text, each as often as it has it. */
export async function filesWith(text: string): Promise<{ name: string; code: string }[]> {
  const chunks = await readdir(join(ROOT, 'dist/chunks'))
  const names = ['dist/main.js', ...chunks.map((chunk) => join('dist/chunks', chunk))]
  const files = names.map(async (name) => ({ name, code: await readFile(join(ROOT, name), 'utf8') }))
  return (await Promise.all(files)).flatMap((file) =>
    Array.from({ length: file.code.split(text).length - 1 }, () => file),
  )
}

/** `program`: see `startProcess`. */
function versionIn(directory: TemporaryDirectory) {
  return { program: [join(directory.path, 'dist/main.js')], remove: () => directory.remove() }
}

async function copiedBuild(): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory('next-version')
  for (const name of ['dist', 'drizzle', 'package.json', 'app.yml', 'app.readonly.yml'])
    await cp(join(ROOT, name), join(directory.path, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(directory.path, 'node_modules'))
  return directory
}

async function addMigrations({ path }: TemporaryDirectory, migrations: string[]): Promise<void> {
  const file = join(path, 'drizzle/meta/_journal.json')
  const journal = JSON.parse(await readFile(file, 'utf8')) as { entries: { version: string }[] }
  const added = migrations.map((_, at) => ({
    idx: journal.entries.length + at,
    version: journal.entries[0]?.version,
    when: MADE_AT + at,
    tag: `following_${at}`,
    breakpoints: true,
  }))
  await writeFile(file, JSON.stringify({ ...journal, entries: [...journal.entries, ...added] }))
  for (const [at, sql] of migrations.entries())
    await writeFile(join(path, `drizzle/following_${at}.sql`), sql)
}
