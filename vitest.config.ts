/**
 * The test projects. The folder of a test determines its project:
 *
 * rules      pure rules, and the fake GitHub: no database, seconds
 * local/     beside them: the command in one clone, with git and without a service
 * api        the service over HTTP, on PostgreSQL
 * surfaces   the command with the service
 * databases  what depends on PostgreSQL; the embedded database runs everything once, in `embedded`
 * processes  the built service and command as real processes
 * operators  what operators and releases need: starts and signals, deconflict-admin, backup and restore, a pooler, proxies, an
 *            upgrade under load, the packed command, watching, and the App on two instances
 * browser    the pages in Chromium
 * faults     fault injection: breaks the dependencies of the service and counts lost and duplicated records
 * git        what is compared with git on random histories
 * scripts    the replay and the stubs of the benchmark: their tests are beside them, in `tools` with those of git
 * bench      the benchmark itself, in scripts/bench
 *
 * `npm test` leaves out tools, operators, browser, faults and bench, `npm run test:all` runs everything.
 */
import { randomInt } from 'node:crypto'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

const MINUTE_MS = 60_000

/** The test of the benchmark starts processes, unlike the other tests beside scripts. */
const BENCH = 'scripts/bench/bench.test.ts'

/** Long enough for a slow test on a busy machine; only a test that hangs fails. */
const timeouts = {
  testTimeout: 5 * MINUTE_MS,
  hookTimeout: 3 * MINUTE_MS,
  expect: { poll: { timeout: 2 * MINUTE_MS } },
}

const { TEST_SEED: given = '1' } = process.env
const seed = given === 'random' ? randomInt(2 ** 31) : Number(given)
process.stderr.write(`Random tests use TEST_SEED=${seed}; TEST_SEED=random varies them.\n`)
/** The seed of random tests. */
const random = { setupFiles: './test/support/seed.ts', env: { TEST_SEED: String(seed) } }

/** Suitable for two cores. An embedded database takes 300 MB in each worker, and tests spend part of their time waiting. */
const workers = { pool: 'forks' as const, maxWorkers: 3 }

/** Test files of one worker share their imported modules, because importing takes longer than most tests. */
const shared = { ...workers, isolate: false }

/** Projects whose tests start several processes each. They spend much of their time waiting, so all of one order run together. */
function processes(
  name: string,
  order: number,
  given: { include: string[]; setup?: string[]; isolate?: boolean },
): TestProjectInlineConfiguration {
  return {
    test: {
      ...workers,
      ...timeouts,
      name,
      isolate: given.isolate ?? true,
      include: given.include,
      globalSetup: ['./test/support/setup.ts', './test/support/build.ts', ...(given.setup ?? [])],
      setupFiles: './test/support/kill-processes.ts',
      env: { TEST_DATABASE_KIND: 'postgres' },
      sequence: { groupOrder: order },
    },
  }
}

function api(
  kind: 'postgres' | 'embedded',
  files: { include: string[]; exclude?: string[] },
): TestProjectInlineConfiguration {
  return {
    test: {
      ...shared,
      ...timeouts,
      name: `api-${kind}`,
      ...files,
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
          include: ['test/{rules,support}/**/*.test.ts', 'test/architecture.test.ts'],
        },
      },
      { test: { ...shared, ...timeouts, ...random, name: 'local', include: ['test/local/**/*.test.ts'] } },
      {
        test: {
          ...shared,
          ...timeouts,
          ...random,
          name: 'tools',
          include: ['scripts/**/*.test.ts', 'test/git/**/*.test.ts'],
          exclude: [BENCH],
        },
      },
      api('postgres', {
        include: ['test/{api,surfaces,databases}/**/*.test.ts'],
        exclude: ['test/databases/embedded-*.test.ts'],
      }),
      api('embedded', { include: ['test/databases/{embedded-*,setup}.test.ts'] }),
      processes('processes', 0, {
        include: ['test/processes/**/*.test.ts'],
        setup: ['./test/support/shared-service.ts'],
        isolate: false,
      }),
      processes('operators', 1, { include: ['test/operators/**/*.test.ts'], isolate: false }),
      processes('browser', 1, { include: ['test/browser/**/*.test.ts'] }),
      processes('faults', 1, { include: ['test/faults/**/*.test.ts'] }),
      processes('bench', 1, { include: [BENCH] }),
    ],
  },
})
