/**
 * The suites: `rules` needs nothing and takes seconds, `api-*` run the same tests on each database, `processes` starts the
 * service as real processes on a real PostgreSQL, `faults` breaks what they stand on and counts what is lost.
 */
import { defineConfig } from 'vitest/config'

const MINUTE_MS = 60_000

/** What knows no database, or waits for GitHub more than for either: once is enough. */
const ON_POSTGRES_ONLY = [
  'test/api/{security-wire,check-runs,comments*,reconcile,webhook-installations}.test.ts',
]

/** What two cores bear: an embedded database takes 300 MB in each worker, and many tests wait more than they work. */
const workers = { pool: 'forks' as const, maxWorkers: 3 }
/** Tests of processes have several each. */
const few = { ...workers, maxWorkers: 2 }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...workers,
          name: 'rules',
          testTimeout: MINUTE_MS / 2,
          include: ['test/rules/**/*.test.ts', 'test/architecture.test.ts'],
        },
      },
      ...(['postgres', 'embedded'] as const).map((kind) => ({
        test: {
          ...workers,
          name: `api-${kind}`,
          include: ['test/api/**/*.test.ts'],
          exclude: kind === 'embedded' ? ON_POSTGRES_ONLY : [],
          globalSetup: './test/support/setup.ts',
          env: { TEST_DATABASE_KIND: kind },
          testTimeout: 3 * MINUTE_MS,
          hookTimeout: 3 * MINUTE_MS,
        },
      })),
      {
        test: {
          ...few,
          name: 'processes',
          include: ['test/processes/**/*.test.ts', 'test/surfaces/**/*.test.ts'],
          globalSetup: ['./test/support/setup.ts', './test/support/build.ts'],
          env: { TEST_DATABASE_KIND: 'postgres' },
          sequence: { groupOrder: 1 },
          testTimeout: 3 * MINUTE_MS,
          hookTimeout: 3 * MINUTE_MS,
        },
      },
      {
        test: {
          ...few,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['./test/support/setup.ts', './test/support/build.ts'],
          env: { TEST_DATABASE_KIND: 'postgres' },
          sequence: { groupOrder: 1 },
          testTimeout: 3 * MINUTE_MS,
          hookTimeout: 3 * MINUTE_MS,
        },
      },
      {
        test: {
          ...few,
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          globalSetup: [
            './test/support/setup.ts',
            './test/support/build.ts',
            './test/support/ledger-table.ts',
          ],
          env: { TEST_DATABASE_KIND: 'postgres' },
          sequence: { groupOrder: 1 },
          testTimeout: 3 * MINUTE_MS,
          hookTimeout: 3 * MINUTE_MS,
        },
      },
    ],
  },
})
