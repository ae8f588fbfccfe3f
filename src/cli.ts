#!/usr/bin/env node
/** The entry point of the command `deconflict`. The build makes a CommonJS module of it, which has no `await` here. */
import type { Runtime } from './surfaces/cli/runtime.ts'

const args = process.argv.slice(2)
/** Opened on first use: most hooks write nothing. */
const opened = new Set<NodeJS.WriteStream>()
const runtime: Omit<Runtime, 'clock' | 'version' | 'serveMcp'> = {
  env: process.env,
  cwd: process.cwd(),
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return open(process.stdout)
  },
  get stderr() {
    return open(process.stderr)
  },
  uptime_ms: () => process.uptime() * 1000,
  // Longer for repositories in which git takes long, and for slow networks.
  hook_limit_ms: Number(process.env.DECONFLICT_HOOK_TIMEOUT_MS) || 1000,
}
void main()

async function main() {
  const code = await (args[0] === 'hook' ? runHook() : runCommand())
  await Promise.all([...opened].map(flushed))
  // Otherwise a pending connection attempt would keep the process alive.
  process.exit(code)
}

/** An agent waits for it, so it loads one file, without the other commands. */
async function runHook() {
  const { hook } = await import('./surfaces/cli/hook/hook.ts')
  return hook(runtime, args.slice(1))
}

async function runCommand() {
  const [{ runCli }, { VERSION }, { systemClock }] = await Promise.all([
    import('./surfaces/cli/program.ts'),
    import('./base/version.ts'),
    import('./base/clock.ts'),
  ])
  return runCli(args, {
    ...runtime,
    clock: systemClock,
    version: VERSION,
    // Loaded on demand: most commands do not need it.
    serveMcp: async (client, defaults) => {
      const { serveStdio } = await import('./surfaces/mcp/stdio.ts')
      await serveStdio(client, defaults)
    },
  })
}

function open(output: NodeJS.WriteStream): NodeJS.WriteStream {
  opened.add(output)
  return output
}

function flushed(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => output.write('', () => resolve()))
}
