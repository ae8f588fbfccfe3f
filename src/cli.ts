#!/usr/bin/env node
/**
 * The entry point of the command `deconflict`. The build turns this file into CommonJS, which has no top-level `await`. What
 * is not imported on demand is loaded by every hook, for which agents wait.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { hook } from './cli/hook/hook.ts'
import { EXIT, type ExitCode, type Runtime } from './cli/runtime.ts'
import { systemClock } from './vocabulary/clock.ts'
import { VERSION } from './vocabulary/version.ts'

const args = process.argv.slice(2)
/** The output streams to flush before the process exits. Node.js opens a stream on first use, and most hooks write nothing. */
const used = new Set<NodeJS.WriteStream>()
/** Nobody reads the output any more, as with `deconflict list | head`. */
let isOutputClosed = false
const runtime: Runtime = {
  clock: systemClock,
  startFast,
  env: process.env,
  cwd: workingDirectory(),
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return flushedAtExit(process.stdout)
  },
  get stderr() {
    return flushedAtExit(process.stderr)
  },
  uptime_ms: () => process.uptime() * 1000,
  // The variable raises the limit where git or the network is slow.
  hook_limit_ms: Number(process.env.DECONFLICT_HOOK_TIMEOUT_MS) || 1000,
}
void main()

async function main() {
  const code = await run()
  await Promise.all([...used].map(flush))
  // Without this, a pending connection attempt would keep the process alive.
  process.exit(process.exitCode ?? code)
}

async function run(): Promise<ExitCode> {
  const [first = '', ...others] = args
  if (first === 'hook' && !args.includes('--help')) return hook(runtime, others)
  if (['--version', '-V'].includes(first)) {
    runtime.stdout.write(`${VERSION}\n`)
    return EXIT.clear
  }
  runtime.startFast()
  const { runCli } = await import('./cli/program.ts')
  return runCli(args, runtime)
}

/** Compiling takes a third of the time of a short command. Node 20 cannot keep what it compiled, and makes code faster too late. */
function startFast() {
  const builtin = process.getBuiltinModule('node:module') as { enableCompileCache?(to: string): unknown }
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  if (builtin.enableCompileCache) builtin.enableCompileCache(join(caches, 'deconflict'))
  else process.getBuiltinModule('node:v8').setFlagsFromString('--interrupt-budget=700000')
}

/** The root if it was removed, as the working tree of a session that ends. */
function workingDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return '/'
  }
}

function flushedAtExit(output: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!used.has(output)) output.on('error', endOutput)
  used.add(output)
  return output
}

/** A closed pipe is no failure: the command ends with its usual exit code. On Windows, the code of the error is `EOF`. */
function endOutput({ code, message }: NodeJS.ErrnoException) {
  const isSilent = isOutputClosed || code === 'EPIPE' || code === 'EOF' || args[0] === 'hook'
  isOutputClosed = true
  if (isSilent) return
  process.exitCode = 1
  process.stderr.write(`deconflict: the output cannot be written: ${message}\n`)
}

function flush(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => output.write('', () => resolve()))
}
