/** What can be counted without running anything. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const CODE = /\.(ts|tsx|mts|mjs|cjs|css|html)$/
const MIGRATION = /^drizzle\/\d{4}_.*\.sql$/

/** Figures by the names of `LIMITS`, of the files that git knows. */
export function sizes(): Record<string, number> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  const files = listed.toString().split('\0').filter(existsSync)
  const texts = (matches: (file: string) => boolean) =>
    files.filter(matches).map((file) => readFileSync(file, 'utf8'))
  const linesBelow = (folder: string) =>
    sum(
      texts((file) => file.startsWith(`${folder}/`) && CODE.test(file)).map(
        (text) => text.split('\n').length - 1,
      ),
    )
  const migrations = texts((file) => MIGRATION.test(file))
  return {
    'lines of src': linesBelow('src'),
    'lines of test': linesBelow('test'),
    'lines of scripts': linesBelow('scripts'),
    'words of docs': sum(
      texts((file) => /^docs\/.*\.md$/.test(file)).map((text) => text.split(/\s+/).filter(Boolean).length),
    ),
    tables: sum(migrations.map((sql) => sql.match(/^CREATE (UNLOGGED )?TABLE /gm)?.length ?? 0)),
    migrations: migrations.length,
  }
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
