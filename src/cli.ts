#!/usr/bin/env node
/** The entry point of the command `deconflict`. */
import { systemClock } from './base/clock.ts'

const runtime = {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  uptime_ms: () => process.uptime() * 1000,
  // Longer for repositories in which git takes long, and for slow networks.
  hook_limit_ms: Number(process.env.DECONFLICT_HOOK_TIMEOUT_MS) || 1000,
}
const args = process.argv.slice(2)
const code = await (args[0] === 'hook' ? runHook() : runCommand())

// Without `exit`, a pending connection attempt would keep the process alive.
await Promise.all([process.stdout, process.stderr].map(flushed))
process.exit(code)

/** An agent waits for it, so it loads one file, without the other commands. */
async function runHook() {
  const { hook } = await import('./surfaces/cli/hook/hook.ts')
  return hook(runtime, args.slice(1))
}

async function runCommand() {
  const [{ runCli }, { VERSION }] = await Promise.all([
    import('./surfaces/cli/program.ts'),
    import('./base/version.ts'),
  ])
  return runCli(args, {
    ...runtime,
    version: VERSION,
    // Loaded on demand: most commands do not need it.
    serveMcp: async (client, defaults) => {
      const { serveStdio } = await import('./surfaces/mcp/stdio.ts')
      await serveStdio(client, defaults)
    },
  })
}

function flushed(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => output.write('', () => resolve()))
}
