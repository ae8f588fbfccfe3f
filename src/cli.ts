#!/usr/bin/env node
/** The command `deconflict` as a process: its surroundings, its end. */
import { systemClock } from './base/clock.ts'
import { VERSION } from './base/version.ts'
import { runCli } from './surfaces/cli/program.ts'

process.exitCode = await runCli(process.argv.slice(2), {
  version: VERSION,
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
