/**
 * The suites. A test's folder decides which it belongs to:
 *
 * rules      pure rules: no database, seconds
 * api        the service over HTTP, on PostgreSQL
 * databases  the same, on PostgreSQL and on the embedded database: what either could carry out in its own way
 * processes, surfaces  the built service and command as real processes
 * browser    the pages in Chromium
 * faults     what the service stands on is broken, and what is lost is counted
 * bench      the benchmark's harness
 *
 * `npm test` leaves out the last three, `npm run test:all` runs everything.
 */
import { randomInt } from 'node:crypto'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

const MINUTE_MS = 60_000

/** Fails a test that waits for what never comes, and none that is slow on a busy machine. */
const timeouts = {
  testTimeout: 3 * MINUTE_MS,
  hookTimeout: 3 * MINUTE_MS,
  expect: { poll: { timeout: MINUTE_MS } },
}

const { TEST_SEED: given = '1' } = process.env
const seed = given === 'random' ? randomInt(2 ** 31) : Number(given)
process.stderr.write(`Random tests use TEST_SEED=${seed}; TEST_SEED=random varies them.\n`)
/** What random tests need. */
const random = { setupFiles: './test/support/seed.ts', env: { TEST_SEED: String(seed) } }

/** What two cores bear: an embedded database takes 300 MB in each worker, and tests wait as well as work. */
const workers = { pool: 'forks' as const, maxWorkers: 3 }

/** Files of one worker share the modules that they import, which would cost more than most of them do. */
const shared = { ...workers, isolate: false }

/** Tests of processes have several each. They come after the others, one project after the other. */
function processes(
  name: string,
  order: number,
  given: { folders: string[]; setup?: string[] },
): TestProjectInlineConfiguration {
  return {
    test: {
      ...workers,
      ...timeouts,
      name,
      maxWorkers: 2,
      include: given.folders.map((folder) => `test/${folder}/**/*.test.ts`),
      globalSetup: ['./test/support/setup.ts', './test/support/build.ts', ...(given.setup ?? [])],
      env: { TEST_DATABASE_KIND: 'postgres' },
      sequence: { groupOrder: order },
    },
  }
}

function api(kind: 'postgres' | 'embedded', folders: string[]): TestProjectInlineConfiguration {
  return {
    test: {
      ...shared,
      ...timeouts,
      name: `api-${kind}`,
      include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
      globalSetup: './test/support/setup.ts',
      setupFiles: random.setupFiles,
      env: { ...random.env, TEST_DATABASE_KIND: kind },
    },
  }
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          ...timeouts,
          ...random,
          name: 'rules',
          include: ['test/rules/**/*.test.ts', 'test/architecture.test.ts'],
        },
      },
      api('postgres', ['api', 'databases']),
      api('embedded', ['databases']),
      processes('processes', 1, { folders: ['processes', 'surfaces'] }),
      processes('browser', 2, { folders: ['browser'] }),
      processes('faults', 3, { folders: ['faults'], setup: ['./test/support/request-counts-table.ts'] }),
      processes('bench', 4, { folders: ['bench'] }),
    ],
  },
})
