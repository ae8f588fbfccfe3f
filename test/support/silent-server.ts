/** Servers that never respond, as behind a network that drops packets. They end with the test. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { listen } from './listen.ts'

/** `answers`: JSON for the paths that it responds to. */
export async function startSilentServer(answers: Record<string, object> = {}) {
  const requests: string[] = []
  const server = createServer((req, res) => {
    requests.push(req.url ?? '')
    const answer = answers[req.url ?? '']
    if (answer) res.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  const listening = await listen(server)
  onTestFinished(listening.close)
  return { requests, ...listening }
}

/** A server that never accepts a connection: its process is stopped, and its accept queue is full. */
export async function startFullServer() {
  const listen =
    "const s = require('net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, () => console.log(s.address().port))"
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data')
  child.kill('SIGSTOP')
  const sockets = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}))
  await once(sockets[0] as (typeof sockets)[number], 'connect')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
    await ended
  })
  return { url: `http://127.0.0.1:${Number(port)}` }
}
