/** Checks src against docs/architecture.md: floors, import cycles, reserved packages, file names. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Architecture, READINGS, violations } from './support/architecture.ts'
import { drawn, FLOORS } from './support/floors.ts'

const ARCHITECTURE: Architecture = {
  programs: {
    vocabulary: [],
    engine: ['vocabulary'],
    client: ['vocabulary'],
    cli: ['vocabulary', 'client'],
    page: ['vocabulary'],
    server: ['vocabulary', 'engine', 'client'],
  },
  floors: FLOORS.map((floor) => Object.keys(floor)),
  entryPoints: ['main.ts', 'admin.ts', 'cli.ts'],
  reserved: [
    {
      what: 'drizzle-orm',
      to: /^server\/(db\/|(.*\/)?([a-z-]+-)?(store|table)\.ts$)/,
    },
    { what: 'prom-client', to: /^server\/telemetry\// },
    { what: 'express', to: /^server\/(server\.ts$|surfaces\/)/ },
    { what: READINGS.environment, to: /^server\/base\/config\.ts$|^(main|admin|cli)\.ts$/ },
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

test('docs/architecture.md shows the floors', () => {
  const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
  expect(page).toContain(`\`\`\`\n${drawn(FLOORS)}\n\`\`\``)
})

describe('a file may', () => {
  test.each([
    ['import from its own folder', 'server/overlap/check.ts', "import { compare } from './compare.ts'"],
    ['import from a lower floor', 'server/overlap/check.ts', "import type { Id } from '../base/network.ts'"],
    [
      'import anything if it is an entry point',
      'main.ts',
      "import { serve } from './server/surfaces/http/routes.ts'",
    ],
    ['contain SQL if it is a store', 'server/activities/store.ts', "import { sql } from 'drizzle-orm'"],
    [
      'create a date from a stored timestamp',
      'server/repositories/repo.ts',
      "export const then = new Date('2026-01-31')",
    ],
    [
      'mention imports in a comment or string',
      'vocabulary/id.ts',
      "// import { x } from '../db/x.ts'\nexport const say = `from '../db/x.ts'`",
    ],
  ])('%s', (_, file, code) => {
    expect(violations({ [file]: `/** Fine. */\n${code}\n` }, ARCHITECTURE)).toEqual([])
  })
})

describe('a file may not', () => {
  test.each([
    [
      'import from a higher floor',
      'server/db/database.ts',
      "import { a } from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'import a type from a higher floor',
      'server/db/database.ts',
      "import type { A } from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'use an inline type import from a higher floor',
      'server/db/database.ts',
      "export type A = import('../overlap/check.ts').A",
      'from a higher floor',
    ],
    [
      'import dynamically from a higher floor',
      'server/db/database.ts',
      "export const a = () => import('../overlap/check.ts')",
      'from a higher floor',
    ],
    [
      're-export from a higher floor',
      'server/db/database.ts',
      "export * from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'import from another folder on its floor',
      'server/activities/store.ts',
      "import { a } from '../notables/store.ts'",
      'another folder on its floor',
    ],
    [
      'import from another surface',
      'server/surfaces/http/a.ts',
      "import { a } from '../mcp/a.ts'",
      'another folder on its floor',
    ],
    [
      'import an entry point',
      'server/surfaces/http/a.ts',
      "import { a } from '../../../main.ts'",
      ', an entry point',
    ],
    [
      'import from outside src',
      'vocabulary/id.ts',
      "import { a } from '../../test/support/github.ts'",
      'from outside src',
    ],
    [
      'contain SQL outside a store',
      'server/activities/activities.ts',
      "import { sql } from 'drizzle-orm/pg-core'",
      'uses drizzle-orm',
    ],
    [
      'use an Express type below the surfaces',
      'server/operations/perform.ts',
      "import type { Request } from 'express'",
      'uses express',
    ],
    [
      'read an environment variable',
      'server/github/access.ts',
      'export const a = process.env.HOME',
      'uses the environment',
    ],
    [
      'destructure the environment',
      'server/github/access.ts',
      'export const { env } = process',
      'uses the environment',
    ],
    [
      'import the process',
      'server/github/access.ts',
      "import { env } from 'node:process'\nexport const a = env",
      'uses the environment',
    ],
    [
      'create a date without an argument',
      'server/repositories/repo.ts',
      'export const now = () => new Date()',
      'uses the clock',
    ],
    ['call Date.now', 'server/repositories/repo.ts', 'export const now = () => Date.now()', 'uses the clock'],
    [
      'reference performance.now',
      'server/repositories/repo.ts',
      'export const now = globalThis.performance.now',
      'uses the clock',
    ],
    [
      'call process.hrtime',
      'server/repositories/repo.ts',
      'export const now = process.hrtime.bigint()',
      'uses the clock',
    ],
    ['have a default export', 'vocabulary/id.ts', 'export default 1', 'has a default export'],
    [
      'export a name as default',
      'vocabulary/id.ts',
      'const a = 1\nexport { a as default }',
      'has a default export',
    ],
    ['have more than 300 lines', 'vocabulary/id.ts', '//\n'.repeat(300), 'has 301 lines, more than 300'],
    ['be in an unknown folder', 'cellar/wine.ts', '', 'is on no floor'],
    ['be an unknown entry point', 'worker.ts', '', 'is on no floor'],
    ['have a name in camel case', 'vocabulary/myId.ts', '', 'is not named in kebab-case'],
    ['be in a folder in camel case', 'vocabulary/myIds/id.ts', '', 'is not named in kebab-case'],
    ['be called utils', 'vocabulary/utils.ts', '', 'has a name that does not say what is in it'],
    ['be called a manager', 'vocabulary/id-manager.ts', '', 'has a name that does not say what is in it'],
    ['be in a folder helpers', 'vocabulary/helpers/id.ts', '', 'has a name that does not say what is in it'],
  ])('%s', (_, file, code, problem) => {
    expect(violations({ [file]: `/** Broken. */\n${code}\n` }, ARCHITECTURE)).toEqual([
      expect.stringMatching(new RegExp(`^src/${file} .*${problem}$`)),
    ])
  })

  test('start without a comment that says what it is for', () => {
    expect(violations({ 'vocabulary/id.ts': 'export const a = 1\n' }, ARCHITECTURE)).toEqual([
      'src/vocabulary/id.ts does not open with a comment that says what it is for',
    ])
  })
})

describe('an import cycle', () => {
  const cycle = {
    'vocabulary/scope/a.ts': "/** A. */\nimport type { B } from './b.ts'\n",
    'vocabulary/scope/b.ts': "/** B. */\nimport { c } from './c.ts'\n",
    'vocabulary/scope/c.ts': "/** C. */\nexport { a } from './a.ts'\nimport './d.ts'\n",
    'vocabulary/scope/d.ts': '/** D. */\n',
  }

  test('is reported for each file in it', () => {
    expect(violations(cycle, ARCHITECTURE)).toEqual([
      'src/vocabulary/scope/a.ts is in an import cycle: vocabulary/scope/a.ts → vocabulary/scope/b.ts → vocabulary/scope/c.ts → vocabulary/scope/a.ts',
      'src/vocabulary/scope/b.ts is in an import cycle: vocabulary/scope/b.ts → vocabulary/scope/c.ts → vocabulary/scope/a.ts → vocabulary/scope/b.ts',
      'src/vocabulary/scope/c.ts is in an import cycle: vocabulary/scope/c.ts → vocabulary/scope/a.ts → vocabulary/scope/b.ts → vocabulary/scope/c.ts',
    ])
  })
})
