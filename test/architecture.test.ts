/** Keeps the house as docs/architecture.md draws it: the floors, the reserved packages, the names of files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { brokenRules, type House, READINGS } from './support/architecture.ts'

const HOUSE: House = {
  floors: [
    ['base'],
    ['telemetry'],
    ['db', 'github', 'scope'],
    ['claims', 'jobs', 'lines'],
    ['context'],
    ['activities', 'notables'],
    ['overlap'],
    ['pull-requests'],
    ['operations'],
    ['client'],
    ['surfaces/http', 'surfaces/webhooks', 'surfaces/mcp', 'surfaces/dashboard', 'surfaces/cli'],
  ],
  roof: ['main.ts', 'server.ts', 'admin.ts', 'cli.ts'],
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

test('src keeps every rule of the house', () => {
  const root = new URL('../src/', import.meta.url)
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(fileURLToPath(root), join(entry.parentPath, entry.name)))
  expect(files.length).toBeGreaterThan(0)
  const sources = Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, root), 'utf8')]))
  expect(brokenRules(sources, HOUSE)).toEqual([])
})

describe('a file may', () => {
  test.each([
    ['import from its own folder', 'overlap/check.ts', "import { compare } from './compare.ts'"],
    ['import from a lower floor', 'overlap/check.ts', "import type { Id } from '../base/id.ts'"],
    ['stand on the roof and import anything', 'main.ts', "import { serve } from './surfaces/http/routes.ts'"],
    ['hold SQL when it is a store', 'activities/store.ts', "import { sql } from 'drizzle-orm'"],
    ['turn a stored instant into a date', 'context/repo.ts', "export const then = new Date('2026-01-31')"],
    [
      'talk about imports',
      'base/id.ts',
      "// import { x } from '../db/x.ts'\nexport const say = `from '../db/x.ts'`",
    ],
  ])('%s', (_, file, code) => {
    expect(brokenRules({ [file]: `/** Fine. */\n${code}\n` }, HOUSE)).toEqual([])
  })
})

describe('a file may not', () => {
  test.each([
    [
      'import from a higher floor',
      'db/connect.ts',
      "import { a } from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'import a type from a higher floor',
      'db/connect.ts',
      "import type { A } from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'name an imported type in place',
      'db/connect.ts',
      "export type A = import('../overlap/check.ts').A",
      'from a higher floor',
    ],
    [
      'import late from a higher floor',
      'db/connect.ts',
      "export const a = () => import('../overlap/check.ts')",
      'from a higher floor',
    ],
    [
      'pass on what a higher floor exports',
      'db/connect.ts',
      "export * from '../overlap/check.ts'",
      'from a higher floor',
    ],
    [
      'know a folder on its own floor',
      'activities/store.ts',
      "import { a } from '../notables/store.ts'",
      'another folder on its floor',
    ],
    [
      'know another surface',
      'surfaces/http/a.ts',
      "import { a } from '../mcp/a.ts'",
      'another folder on its floor',
    ],
    ['import from the roof', 'surfaces/http/a.ts', "import { a } from '../../server.ts'", 'from the roof'],
    [
      'import from outside src',
      'base/id.ts',
      "import { a } from '../../test/support/github.ts'",
      'from outside src',
    ],
    [
      'hold SQL among the verbs',
      'activities/activities.ts',
      "import { sql } from 'drizzle-orm/pg-core'",
      'touches drizzle-orm',
    ],
    [
      'name an Express type below the surfaces',
      'operations/perform.ts',
      "import type { Request } from 'express'",
      'touches express',
    ],
    [
      'read a variable of the environment',
      'github/access.ts',
      'export const a = process.env.HOME',
      'touches the environment',
    ],
    [
      'unpack the environment',
      'github/access.ts',
      'export const { env } = process',
      'touches the environment',
    ],
    [
      'import the process',
      'github/access.ts',
      "import { env } from 'node:process'\nexport const a = env",
      'touches the environment',
    ],
    ['make a date of now', 'context/repo.ts', 'export const now = () => new Date()', 'touches the clock'],
    ['ask Date for now', 'context/repo.ts', 'export const now = () => Date.now()', 'touches the clock'],
    [
      'pass the clock on unread',
      'context/repo.ts',
      'export const now = globalThis.performance.now',
      'touches the clock',
    ],
    ['time itself', 'context/repo.ts', 'export const now = process.hrtime.bigint()', 'touches the clock'],
    ['export a default', 'base/id.ts', 'export default 1', 'has a default export'],
    ['call an export default', 'base/id.ts', 'const a = 1\nexport { a as default }', 'has a default export'],
    ['grow past 300 lines', 'base/id.ts', '//\n'.repeat(300), 'has 301 lines, more than 300'],
    ['stand on no floor', 'cellar/wine.ts', '', 'is on no floor'],
    ['stand on the roof uninvited', 'worker.ts', '', 'is on no floor'],
    ['be named in camel case', 'base/myId.ts', '', 'is not named in kebab-case'],
    ['live in a folder in camel case', 'base/myIds/id.ts', '', 'is not named in kebab-case'],
    ['be called utils', 'base/utils.ts', '', 'has a name that does not say what is in it'],
    ['be called a manager', 'base/id-manager.ts', '', 'has a name that does not say what is in it'],
    ['live among helpers', 'base/helpers/id.ts', '', 'has a name that does not say what is in it'],
  ])('%s', (_, file, code, problem) => {
    expect(brokenRules({ [file]: `/** Broken. */\n${code}\n` }, HOUSE)).toEqual([
      expect.stringMatching(new RegExp(`^src/${file} .*${problem}$`)),
    ])
  })

  test('begin without saying what it is for', () => {
    expect(brokenRules({ 'base/id.ts': 'export const a = 1\n' }, HOUSE)).toEqual([
      'src/base/id.ts does not open with a comment that says what it is for',
    ])
  })
})
