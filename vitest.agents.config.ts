/** `npm run test:agents`: sessions of real coding agents, whose model is a stub. Installs them from npm on the first run. */
import { defineConfig } from 'vitest/config'

const MINUTE_MS = 60_000

export default defineConfig({
  test: {
    name: 'agents',
    include: ['test/agents/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 5 * MINUTE_MS,
    hookTimeout: 3 * MINUTE_MS,
    globalSetup: ['./test/support/setup.ts', './test/support/build.ts', './test/agents/install.ts'],
    setupFiles: './test/support/kill-processes.ts',
    env: { TEST_DATABASE_KIND: 'postgres' },
  },
})
