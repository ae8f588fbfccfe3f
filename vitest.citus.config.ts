/**
 * The tests on Citus clusters of their own. `npm run test:citus` runs `api-citus`, the tests of the API whose statements differ
 * most, and `citus`, those of the cluster itself; without `--project`, `api-citus-others` runs the rest of the API too.
 */
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

const MINUTE_MS = 60_000

/** REST, webhooks, the ledger, numbers, issues, and the queue. */
const MOST = [
  'test/api/{overlap,repositories,instances,webhook-issues}.test.ts',
  'test/databases/{activities,lists,jobs,sweep-app}.test.ts',
  'test/api/{pairs,numbers}.test.ts',
  'test/citus/statements.test.ts',
]

function api(name: string, include: string[], exclude: string[] = []): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include,
      exclude,
      globalSetup: './test/support/setup.ts',
      env: { TEST_DATABASE_KIND: 'citus' },
    },
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    isolate: false,
    testTimeout: 3 * MINUTE_MS,
    hookTimeout: 3 * MINUTE_MS,
    expect: { poll: { timeout: 2 * MINUTE_MS } },
    projects: [
      api('api-citus', MOST),
      api(
        'api-citus-others',
        ['test/{api,databases}/**/*.test.ts'],
        // What knows no database, and what reads the plans of one server.
        [...MOST, 'test/api/{security-wire,statements}.test.ts', 'test/databases/embedded-*.test.ts'],
      ),
      {
        extends: true,
        test: {
          name: 'citus',
          include: ['test/citus/cluster.test.ts'],
          globalSetup: ['./test/support/build.ts'],
        },
      },
    ],
  },
})
