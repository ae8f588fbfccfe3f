/** The fake GitHub by nock inside the test's process. Only this machine can be reached besides. */
import nock from 'nock'
import type { GithubRequest } from './github-answers.ts'
import type { GithubResponse } from './github-reply.ts'
import { type GithubWorld, githubWorld, type SilentFault } from './github-world.ts'

export interface FakeGithub extends GithubWorld {
  /** Restores network access and aborts waiting requests. */
  close(): void
}

/** Intercepts the calls of this process to `api_url`. Only one can be active at a time. */
export function fakeGithub(api_url = 'https://api.github.com'): FakeGithub {
  const world = githubWorld(api_url)
  nock.disableNetConnect()
  nock.enableNetConnect((host) => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host))
  const scope = nock(new URL(api_url).origin).persist()
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    scope.intercept(/^/, method).reply(function (path, given, reply) {
      const headers = this.req.headers
      const body = typeof given === 'string' ? given : JSON.stringify(given)
      answered(world, { method, path, headers, body })
        .then((answer) => deliver(answer, reply))
        .catch((error: Error) => reply(error, [500]))
    })
  }
  return {
    ...world,
    close() {
      nock.abortPendingRequests()
      nock.cleanAll()
      nock.enableNetConnect()
    },
  }
}

/** Follows redirects of requests with a body, which nock's fetch cannot do. */
async function answered(world: GithubWorld, request: GithubRequest): Promise<GithubResponse | SilentFault> {
  const answer = await world.answer(request)
  if (typeof answer !== 'object' || answer.status !== 307) return answer
  const { pathname, search } = new URL(answer.headers.location as string)
  return world.answer({ ...request, path: `${pathname}${search}` })
}

type Reply = (error: Error | null, result: [number, string, Record<string, string>]) => void

function deliver(answer: GithubResponse | SilentFault, reply: Reply): void {
  if (answer === 'silent') return
  if (typeof answer === 'object') reply(null, [answer.status, answer.body, answer.headers])
  else reply(transportError(answer), [0, '', {}])
}

/** The error that `fetch` rejects with. */
function transportError(fault: 'reset' | 'timed_out'): Error {
  if (fault === 'timed_out') {
    return new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  }
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
  return new TypeError('fetch failed', { cause })
}
