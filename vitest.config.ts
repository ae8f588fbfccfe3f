/**
 * The four suites: `rules` needs nothing and takes seconds, `api-*` run the same tests on each database,
 * `processes` starts the service as real processes on a real PostgreSQL.
 */
import { defineConfig } from 'vitest/config'

const MINUTE_MS = 60_000

/**
 * What the GitHub App does is the same on both databases, and goes through hundreds of deliveries: PostgreSQL runs all of
 * it, the embedded database, which is slower by far, the inbox and every automatic move.
 */
const APP_ON_POSTGRES_ONLY = [
  'test/api/{check-runs,comments*,jobs,reconcile,settings-file}.test.ts',
  'test/api/webhook-{access,examples,installations,order,tracked}.test.ts',
]

/** What two cores bear: an embedded database takes 300 MB in each worker. */
const workers = { pool: 'forks' as const, maxWorkers: 2 }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...workers,
          name: 'rules',
          include: ['test/rules/**/*.test.ts', 'test/architecture.test.ts'],
        },
      },
      ...(['postgres', 'embedded'] as const).map((kind) => ({
        test: {
          ...workers,
          name: `api-${kind}`,
          include: ['test/api/**/*.test.ts'],
          exclude: kind === 'embedded' ? APP_ON_POSTGRES_ONLY : [],
          globalSetup: './test/support/setup.ts',
          env: { TEST_DATABASE_KIND: kind },
          testTimeout: MINUTE_MS / 2,
          hookTimeout: MINUTE_MS / 2,
        },
      })),
      {
        test: {
          ...workers,
          name: 'processes',
          include: ['test/processes/**/*.test.ts'],
          globalSetup: './test/support/setup.ts',
          env: { TEST_DATABASE_KIND: 'postgres' },
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 2 * MINUTE_MS,
          hookTimeout: MINUTE_MS,
        },
      },
    ],
  },
})
