/**
 * The four suites: `rules` needs nothing and takes seconds, `api-*` run the same tests on each database,
 * `processes` starts the service as real processes on a real PostgreSQL.
 */
import { defineConfig } from 'vitest/config'

const MINUTE_MS = 60_000

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
