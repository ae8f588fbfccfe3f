/** Checks src against docs/architecture.md: floors, reserved packages, file names. */
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
    git: ['vocabulary'],
    local: ['vocabulary', 'engine', 'client', 'git'],
    cli: ['vocabulary', 'client', 'git', 'local'],
    page: ['vocabulary'],
    server: ['vocabulary', 'engine', 'client'],
  },
  floors: FLOORS.map((floor) => Object.keys(floor)),
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

test('docs/architecture.md shows the floors', () => {
  const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
  expect(page).toContain(`\`\`\`\n${drawn(FLOORS)}\n\`\`\``)
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

describe('a file that breaks a rule is reported', () => {
  describe.each([
    [
      'server/platform/db/database.ts',
      'from a higher floor',
      [
        "import { a } from '../../compare/check.ts'",
        "import type { A } from '../../compare/check.ts'",
        "export type A = import('../../compare/check.ts').A",
        "export const a = () => import('../../compare/check.ts')",
        "export * from '../../compare/check.ts'",
      ],
    ],
    [
      'server/records/activities/store.ts',
      'another folder on its floor',
      ["import { a } from '../notables/store.ts'"],
    ],
    ['server/doors/http/a.ts', 'another folder on its floor', ["import { a } from '../page/a.ts'"]],
    ['server/doors/http/a.ts', ', an entry point', ["import { a } from '../../../main.ts'"]],
    ['vocabulary/id.ts', 'from outside src', ["import { a } from '../../test/support/github.ts'"]],
    [
      'server/records/activities/activities.ts',
      'uses drizzle-orm',
      ["import { sql } from 'drizzle-orm/pg-core'"],
    ],
    ['server/operations/perform.ts', 'uses express', ["import type { Request } from 'express'"]],
    [
      'server/github/access.ts',
      'uses the environment',
      [
        'export const a = process.env.HOME',
        'export const { env } = process',
        "import { env } from 'node:process'\nexport const a = env",
      ],
    ],
    [
      'server/records/repositories/repo.ts',
      'uses the clock',
      [
        'export const now = () => new Date()',
        'export const now = () => Date.now()',
        'export const now = globalThis.performance.now',
        'export const now = process.hrtime.bigint()',
      ],
    ],
    ['vocabulary/id.ts', 'has 251 lines, more than 250', ['//\n'.repeat(250)]],
    ['cellar/wine.ts', 'is on no floor', ['']],
    ['worker.ts', 'is on no floor', ['']],
    ['vocabulary/myId.ts', 'is not named in kebab-case', ['']],
    ['vocabulary/myIds/id.ts', 'is not named in kebab-case', ['']],
    ['vocabulary/utils.ts', 'has a name that does not say what is in it', ['']],
    ['vocabulary/id-manager.ts', 'has a name that does not say what is in it', ['']],
    ['vocabulary/helpers/id.ts', 'has a name that does not say what is in it', ['']],
  ])('src/%s: %s', (file, problem, codes) => {
    test.each(codes)('for %j', (code) => {
      expect(violations({ [file]: `/** Broken. */\n${code}\n` }, ARCHITECTURE)).toEqual([
        expect.stringMatching(new RegExp(`^src/${file} .*${problem}$`)),
      ])
    })
  })

  test('for a start without a comment that says what it is for', () => {
    expect(violations({ 'vocabulary/id.ts': 'export const a = 1\n' }, ARCHITECTURE)).toEqual([
      'src/vocabulary/id.ts does not open with a comment that says what it is for',
    ])
  })
})
