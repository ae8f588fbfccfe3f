/** `npm run test:citus`: the API's tests, and those of the cluster itself, on a Citus cluster of their own. */
import { defineConfig } from 'vitest/config'

const MINUTE_MS = 60_000

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 3 * MINUTE_MS,
    hookTimeout: 3 * MINUTE_MS,
    projects: [
      {
        extends: true,
        test: {
          name: 'api-citus',
          include: ['test/{api,databases}/**/*.test.ts'],
          // What knows no database, and what reads the plans of one server.
          exclude: ['test/api/{security-wire,index-cost}.test.ts'],
          globalSetup: './test/support/setup.ts',
          env: { TEST_DATABASE_KIND: 'citus' },
        },
      },
      {
        extends: true,
        test: {
          name: 'citus',
          include: ['test/citus/**/*.test.ts'],
          globalSetup: ['./test/support/build.ts', './test/support/request-counts-table.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
