/** Checks src against docs/architecture.md: floors, reserved packages, file names. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Architecture, READINGS, violations } from './support/architecture.ts'

const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')

const ARCHITECTURE: Architecture = {
  programs: {
    vocabulary: [],
    engine: ['vocabulary'],
    client: ['vocabulary'],
    git: ['vocabulary'],
    local: ['vocabulary', 'engine', 'client', 'git'],
    cli: ['vocabulary', 'client', 'git', 'local'],
    page: ['vocabulary'],
    server: ['vocabulary', 'engine', 'client'],
  },
  // Each line of its drawing begins with a floor and a folder on it.
  floors: Object.fromEntries(
    [...page.matchAll(/^ ?(\d+) ([a-z/-]+) {2,}\S/gm)].map(([, floor, folder]) => [folder, Number(floor)]),
  ),
  entryPoints: ['main.ts', 'admin.ts', 'cli.ts'],
  reserved: [
    { what: 'drizzle-orm', to: /^server\/(platform\/db\/|(.*\/)?([a-z-]+-)?(store|table)\.ts$)/ },
    { what: 'prom-client', to: /^server\/platform\/telemetry\// },
    { what: 'express', to: /^server\/(server\.ts$|doors\/)/ },
    { what: READINGS.environment, to: /^server\/platform\/config\.ts$|^(main|admin|cli)\.ts$/ },
    { what: READINGS.clock, to: /^vocabulary\/clock\.ts$/ },
  ],
}

test('src follows every rule', () => {
  const root = new URL('../src/', import.meta.url)
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(fileURLToPath(root), join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
  expect(files.length).toBeGreaterThan(0)
  const sources = Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, root), 'utf8')]))
  expect(violations(sources, ARCHITECTURE)).toEqual([])
})

test.each([
  ['server/compare/check.ts', "import { compare } from './compare.ts'"],
  ['server/compare/check.ts', "import type { Id } from '../platform/network.ts'"],
  ['main.ts', "import { serve } from './server/doors/http/routes.ts'"],
  ['server/records/activities/store.ts', "import { sql } from 'drizzle-orm'"],
  ['server/records/repositories/repo.ts', "export const then = new Date('2026-01-31')"],
  ['vocabulary/id.ts', "// import { x } from '../db/x.ts'\nexport const say = `from '../db/x.ts'`"],
])('src/%s may contain %s', (file, code) => {
  expect(violations({ [file]: `/** Fine. */\n${code}\n` }, ARCHITECTURE)).toEqual([])
})

test.each([
  ['server/jobs/a.ts', "import { a } from '../tell/a.ts'", 'from a higher floor'],
  ['server/jobs/a.ts', "import type { A } from '../tell/a.ts'", 'from a higher floor'],
  ['server/jobs/a.ts', "export const a = () => import('../tell/a.ts')", 'from a higher floor'],
  ['server/doors/http/a.ts', "import { a } from '../page/a.ts'", 'another folder on its floor'],
  ['server/doors/http/a.ts', "import { a } from '../../../main.ts'", ', an entry point'],
  ['vocabulary/id.ts', "import { a } from '../../test/support/github.ts'", 'from outside src'],
  ['server/operations/perform.ts', "import type { Request } from 'express'", 'uses express'],
  ['server/github/access.ts', 'export const { env } = process', 'uses the environment'],
  ['server/records/repositories/repo.ts', 'export const now = () => new Date()', 'uses the clock'],
  ['vocabulary/id.ts', '//\n'.repeat(250), 'has 251 lines, more than 250'],
  ['cellar/wine.ts', '', 'is on no floor'],
  ['vocabulary/myIds/id.ts', '', 'is not named in kebab-case'],
  ['vocabulary/id-manager.ts', '', 'has a name that does not say what is in it'],
])('src/%s with %j is reported', (file, code, problem) => {
  expect(violations({ [file]: `/** Broken. */\n${code}\n` }, ARCHITECTURE)).toEqual([
    expect.stringMatching(new RegExp(`^src/${file} .*${problem}$`)),
  ])
})
