#!/usr/bin/env node
/** The command `deconflict` as a process: its surroundings, its end. */
import { createRequire } from 'node:module'
import { systemClock } from './base/clock.ts'
import { runCli } from './surfaces/cli/program.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

process.exitCode = await runCli(process.argv.slice(2), {
  version,
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  // Most commands have no need of it.
  serveMcp: async (client, defaults) => {
    const { serveStdio } = await import('./surfaces/mcp/stdio.ts')
    await serveStdio(client, defaults)
  },
})
