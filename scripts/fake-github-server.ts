/** A fake GitHub that listens on loopback, for the demo, the benchmark, and tests that start the service as a process. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { GithubRepository, Permission } from '../test/support/github-state.ts'
import { type GithubWorld, githubWorld } from '../test/support/github-world.ts'
import { listen } from '../test/support/listen.ts'

export interface FakeGithubOptions {
  /** Default: any free port. */
  port?: number
  users?: { token: string; login: string; id: number; permissions: Record<string, Permission> }[]
  repositories?: GithubRepository[]
}

export type FakeGithubServer = Awaited<ReturnType<typeof startFakeGithubServer>>

/** `url`: for `GITHUB_API_URL` and `GITHUB_WEB_URL`. `github` changes its state, injects failures, and counts requests. */
export async function startFakeGithubServer(options: FakeGithubOptions = {}) {
  const github = githubWorld('http://127.0.0.1')
  for (const repository of options.repositories ?? []) github.repository(repository)
  for (const { token, ...user } of options.users ?? []) github.token(token, user)

  // A slow client must not reuse a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    answer(github, request, response).catch((error: Error) => response.destroy(error))
  })
  const { url, close } = await listen(server, options.port)
  github.state.api_url = url
  return { github, url, close }
}

async function answer(
  github: GithubWorld,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url: path = '/' } = request
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const body = await text(request)
  const answer = await github.answer({ method, path, headers, body })
  if (typeof answer === 'object') response.writeHead(answer.status, answer.headers).end(answer.body)
  else if (answer === 'reset') request.socket.resetAndDestroy()
}
