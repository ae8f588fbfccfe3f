#!/usr/bin/env node
/** The entry point of the command `deconflict`. */
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
  // Loaded on demand: most commands do not need it.
  serveMcp: async (client, defaults) => {
    const { serveStdio } = await import('./surfaces/mcp/stdio.ts')
    await serveStdio(client, defaults)
  },
})

// Without `exit`, a pending connection attempt would keep the process alive.
await Promise.all([process.stdout, process.stderr].map(flushed))
process.exit(code)

function flushed(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => output.write('', () => resolve()))
}
