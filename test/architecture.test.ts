/** Checks src against docs/architecture.md: floors, import cycles, reserved packages, file names. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Architecture, READINGS, violations } from './support/architecture.ts'

const ARCHITECTURE: Architecture = {
  floors: [
    ['base'],
    ['telemetry'],
    ['db', 'github', 'scope'],
    ['claims', 'jobs', 'lines', 'stacks'],
    ['context'],
    ['activities', 'notables', 'setup'],
    ['overlap'],
    ['signal'],
    ['pull-requests', 'overview'],
    ['operations'],
    ['admin'],
    ['client'],
    ['surfaces/http', 'surfaces/webhooks', 'surfaces/mcp', 'surfaces/dashboard', 'surfaces/cli'],
  ],
  entryPoints: ['main.ts', 'server.ts', 'admin.ts', 'cli.ts'],
  reserved: [
    {
      what: 'drizzle-orm',
      to: /^db\/|(^|\/)([a-z-]+-)?(store|table)\.ts$/,
    },
    { what: 'prom-client', to: /^telemetry\// },
    { what: '@opentelemetry/api', to: /^telemetry\// },
    { what: '@opentelemetry/sdk-node', to: /^telemetry\/trace\.ts$/ },
    { what: 'express', to: /^server\.ts$|^surfaces\// },
    { what: READINGS.environment, to: /^base\/config\.ts$|^(main|admin|cli)\.ts$/ },
    { what: READINGS.clock, to: /^base\/clock\.ts$/ },
  ],
}

test('src follows every rule', () => {
  const root = new URL('../src/', import.meta.url)
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(fileURLToPath(root), join(entry.parentPath, entry.name)))
  expect(files.length).toBeGreaterThan(0)
  const sources = Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, root), 'utf8')]))
  expect(violations(sources, ARCHITECTURE)).toEqual([])
})

describe('a file may', () => {
  test.each([
    ['import from its own folder', 'overlap/check.ts', "import { compare } from './compare.ts'"],
    ['import from a lower floor', 'overlap/check.ts', "import type { Id } from '../base/id.ts'"],
    [
      'import anything if it is an entry point',
      'main.ts',
      "import { serve } from './surfaces/http/routes.ts'",
    ],
    ['contain SQL if it is a store', 'activities/store.ts', "import { sql } from 'drizzle-orm'"],
    [
      'create a date from a stored timestamp',
      'context/repo.ts',
      "export const then = new Date('2026-01-31')",
    ],
    [
      'mention imports in a comment or string',
      'base/id.ts',
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
      'db/database.ts',
      "import { a } from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'import a type from a higher floor',
      'db/database.ts',
      "import type { A } from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'use an inline type import from a higher floor',
      'db/database.ts',
      "export type A = import('../overlap/check.ts').A",
      'from a higher floor',
    ],
    [
      'import dynamically from a higher floor',
      'db/database.ts',
      "export const a = () => import('../overlap/check.ts')",
      'from a higher floor',
    ],
    [
      're-export from a higher floor',
      'db/database.ts',
      "export * from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'import from another folder on its floor',
      'activities/store.ts',
      "import { a } from '../notables/store.ts'",
      'another folder on its floor',
    ],
    [
      'import from another surface',
      'surfaces/http/a.ts',
      "import { a } from '../mcp/a.ts'",
      'another folder on its floor',
    ],
    [
      'import an entry point',
      'surfaces/http/a.ts',
      "import { a } from '../../server.ts'",
      ', an entry point',
    ],
    [
      'import from outside src',
      'base/id.ts',
      "import { a } from '../../test/support/github.ts'",
      'from outside src',
    ],
    [
      'contain SQL outside a store',
      'activities/activities.ts',
      "import { sql } from 'drizzle-orm/pg-core'",
      'uses drizzle-orm',
    ],
    [
      'use an Express type below the surfaces',
      'operations/perform.ts',
      "import type { Request } from 'express'",
      'uses express',
    ],
    [
      'read an environment variable',
      'github/access.ts',
      'export const a = process.env.HOME',
      'uses the environment',
    ],
    [
      'destructure the environment',
      'github/access.ts',
      'export const { env } = process',
      'uses the environment',
    ],
    [
      'import the process',
      'github/access.ts',
      "import { env } from 'node:process'\nexport const a = env",
      'uses the environment',
    ],
    [
      'create a date without an argument',
      'context/repo.ts',
      'export const now = () => new Date()',
      'uses the clock',
    ],
    ['call Date.now', 'context/repo.ts', 'export const now = () => Date.now()', 'uses the clock'],
    [
      'reference performance.now',
      'context/repo.ts',
      'export const now = globalThis.performance.now',
      'uses the clock',
    ],
    [
      'call process.hrtime',
      'context/repo.ts',
      'export const now = process.hrtime.bigint()',
      'uses the clock',
    ],
    ['have a default export', 'base/id.ts', 'export default 1', 'has a default export'],
    [
      'export a name as default',
      'base/id.ts',
      'const a = 1\nexport { a as default }',
      'has a default export',
    ],
    ['have more than 300 lines', 'base/id.ts', '//\n'.repeat(300), 'has 301 lines, more than 300'],
    ['be in an unknown folder', 'cellar/wine.ts', '', 'is on no floor'],
    ['be an unknown entry point', 'worker.ts', '', 'is on no floor'],
    ['have a name in camel case', 'base/myId.ts', '', 'is not named in kebab-case'],
    ['be in a folder in camel case', 'base/myIds/id.ts', '', 'is not named in kebab-case'],
    ['be called utils', 'base/utils.ts', '', 'has a name that does not say what is in it'],
    ['be called a manager', 'base/id-manager.ts', '', 'has a name that does not say what is in it'],
    ['be in a folder helpers', 'base/helpers/id.ts', '', 'has a name that does not say what is in it'],
  ])('%s', (_, file, code, problem) => {
    expect(violations({ [file]: `/** Broken. */\n${code}\n` }, ARCHITECTURE)).toEqual([
      expect.stringMatching(new RegExp(`^src/${file} .*${problem}$`)),
    ])
  })

  test('start without a comment that says what it is for', () => {
    expect(violations({ 'base/id.ts': 'export const a = 1\n' }, ARCHITECTURE)).toEqual([
      'src/base/id.ts does not open with a comment that says what it is for',
    ])
  })
})

describe('an import cycle', () => {
  const cycle = {
    'scope/a.ts': "/** A. */\nimport type { B } from './b.ts'\n",
    'scope/b.ts': "/** B. */\nimport { c } from './c.ts'\n",
    'scope/c.ts': "/** C. */\nexport { a } from './a.ts'\nimport './d.ts'\n",
    'scope/d.ts': '/** D. */\n',
  }

  test('is reported for each file in it', () => {
    expect(violations(cycle, ARCHITECTURE)).toEqual([
      'src/scope/a.ts is in an import cycle: scope/a.ts → scope/b.ts → scope/c.ts → scope/a.ts',
      'src/scope/b.ts is in an import cycle: scope/b.ts → scope/c.ts → scope/a.ts → scope/b.ts',
      'src/scope/c.ts is in an import cycle: scope/c.ts → scope/a.ts → scope/b.ts → scope/c.ts',
    ])
  })
})
