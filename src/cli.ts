#!/usr/bin/env node
/** The command `deconflict` as a process: its surroundings, its end. */
import { systemClock } from './base/clock.ts'
import { VERSION } from './base/version.ts'
import { runCli } from './surfaces/cli/program.ts'

const code = await runCli(process.argv.slice(2), {
  version: VERSION,
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  uptime_ms: () => process.uptime() * 1000,
  // Most commands have no need of it.
  serveMcp: async (client, defaults) => {
    const { serveStdio } = await import('./surfaces/mcp/stdio.ts')
    await serveStdio(client, defaults)
  },
})

// A connection that is still being made would keep the process for as long as the platform tries.
await Promise.all([process.stdout, process.stderr].map(flushed))
process.exit(code)

function flushed(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => output.write('', () => resolve()))
}
