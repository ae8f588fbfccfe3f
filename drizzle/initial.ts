/**
 * Writes `0000_initial.sql`, the schema that a new database gets, from the tables: `npm run schema`. Review reads this file,
 * and `test/rules/schema.test.ts` compares it with the tables.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What drizzle-kit cannot say. */
const STORAGE = [
  '-- Room on each page for the next version of a row: heartbeats and tallies then touch no index.\nALTER TABLE "activities" SET (fillfactor = 80);',
  'ALTER TABLE "live_sets" SET (fillfactor = 50);',
]

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export function initialMigration(): string {
  const arguments_ = ['drizzle-kit', 'export', '--sql', '--config', 'drizzle/config.ts']
  const printed = execFileSync('npx', arguments_, { cwd: ROOT, encoding: 'utf8' })
  const statements = [...printed.trim().split(/(?<=;)\n+/), ...STORAGE]
  return `${statements.join('\n--> statement-breakpoint\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('0000_initial.sql', import.meta.url), initialMigration())
