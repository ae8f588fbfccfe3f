/** Starts the built service as an operator does, with its log in a file. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ROOT, stop, watched } from './child.ts'

const START_TIMEOUT_MS = 60_000
const POLL_MS = 5

export interface ServiceProcess {
  url: string
  pid: number
  /** Milliseconds from the start of the process to the first 200 of `/readyz`. */
  ready_ms: number
  stop(): Promise<void>
}

export async function buildService(): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: ROOT })
}

/** Starts `program`. It inherits only PATH from this process. */
export async function startServiceProcess(
  env: Record<string, string>,
  { scratch, program = 'dist/main.js' }: { scratch: string; program?: string | undefined },
): Promise<ServiceProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const log = join(scratch, `service-${port}.log`)
  const output = openSync(log, 'a')
  const started = performance.now()
  const child = watched(
    spawn(process.execPath, [program], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env },
      stdio: ['ignore', output, output],
    }),
  )
  while (!(await isReady(url))) {
    const ended = child.exitCode !== null || child.signalCode !== null
    if (ended || performance.now() - started > START_TIMEOUT_MS) {
      await stop(child)
      throw new Error(`the service did not become ready:\n${readFileSync(log, 'utf8').slice(-2000)}`)
    }
    await wait(POLL_MS)
  }
  const ready_ms = performance.now() - started
  return { url, pid: child.pid as number, ready_ms, stop: () => stop(child) }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`)
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
