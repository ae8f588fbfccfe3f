/** The migration is what the tables say. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { initialMigration } from '../../drizzle/initial.ts'

test('a new database gets the tables of table.ts', () => {
  const migration = readFileSync(new URL('../../drizzle/0000_initial.sql', import.meta.url), 'utf8')
  expect(migration, 'npm run schema writes it').toBe(initialMigration())
})
