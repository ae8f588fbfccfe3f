/** A server with TLS in front of another one, and an HTTP proxy through which alone it can be reached. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listen } from './listen.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export type HttpsProxy = Awaited<ReturnType<typeof startHttpsProxy>>

/** `name` resolves nowhere; the proxy takes it for the server in front of `url`. */
export async function startHttpsProxy(name: string, url: string) {
  const directory = await temporaryDirectory('tls')
  const [key, cert] = [join(directory.path, 'key.pem'), join(directory.path, 'cert.pem')]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const options = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert]
  await promisify(execFile)('openssl', ['req', '-x509', ...options, ...subject])
  const secure = createSecureServer({ key: await readFile(key), cert: await readFile(cert) }, (req, res) => {
    const { method, url: path, headers } = req
    const forwarded = request(`${url}${path}`, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    forwarded.on('error', () => res.destroy())
    req.pipe(forwarded)
  })
  const there = await listen(secure)
  /** The target, and the user and password, of each tunnel. */
  const tunnels: { target: string; authorization: string | undefined }[] = []
  const proxy = createServer().on('connect', (req, near: Socket) => {
    tunnels.push({ target: req.url ?? '', authorization: req.headers['proxy-authorization'] })
    const far = connect(there.port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n')
      near.pipe(far).pipe(near)
    })
    for (const socket of [near, far]) socket.on('error', () => {})
  })
  const here = await listen(proxy)
  const { host } = new URL(here.url)
  return {
    /** The variables with which a process trusts the server and uses the proxy. */
    env: { NODE_EXTRA_CA_CERTS: cert, HTTPS_PROXY: `http://ada:pass%20word@${host}` },
    host,
    tunnels,
    async close() {
      await Promise.all([here.close(), there.close()])
      await directory.remove()
    },
  }
}
