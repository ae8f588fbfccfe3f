/** A git server over HTTP that serves the repositories of a directory to one password only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface GitServer {
  url: string
  close(): Promise<void>
}

/** `password`: that of any user, such as a token. */
export async function startGitServer(directory: string, password: string): Promise<GitServer> {
  const server = createServer((request, response) => {
    const [, credentials = ''] = /^basic (.*)$/i.exec(request.headers.authorization ?? '') ?? []
    const given = Buffer.from(credentials, 'base64').toString()
    if (given.endsWith(`:${password}`))
      serve(directory, request, response).catch((error: Error) => response.destroy(error))
    else response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Runs git's own server as a CGI program. */
async function serve(directory: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const { 'content-type': type, 'content-encoding': encoding, 'git-protocol': protocol } = request.headers
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: type,
      HTTP_CONTENT_ENCODING: encoding,
      GIT_PROTOCOL: `${protocol ?? ''}`,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(backend.stdin)
  const output = await buffer(backend.stdout)
  const end = output.indexOf('\r\n\r\n')
  const headers = output.subarray(0, end).toString().split('\r\n')
  const fields = headers.map((line) => line.split(/: (.*)/s) as [string, string])
  const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200'
  response.writeHead(Number.parseInt(status, 10), Object.fromEntries(fields)).end(output.subarray(end + 4))
}
