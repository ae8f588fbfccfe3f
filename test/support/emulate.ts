/** `emulate`, a GitHub that others wrote, as a process with a repository `acme/shop` and the App installed on it. */
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './postgres.ts'
import { launch, untilReady } from './process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const PROGRAM = ['--require', './test/support/emulate-preload.cjs', 'node_modules/emulate/dist/index.js']

const APP_ID = 4711
const WEBHOOK_SECRET = 'hush'
const CLIENT = { client_id: 'Iv1.deconflict', client_secret: 'client-secret' }
const PERMISSIONS = { metadata: 'read', contents: 'read', pull_requests: 'write', checks: 'write' }

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Body = any

export type Emulate = Awaited<ReturnType<typeof startEmulate>>

export async function startEmulate(service_url: string) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
  const directory = await temporaryDirectory('emulate')
  const seed = join(directory.path, 'seed.json')
  await writeFile(seed, JSON.stringify({ github: seedOf(service_url, private_key) }))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const options = ['--service', 'github', '--port', String(port), '--base-url', url, '--seed', seed]
  const child = launch({}, [...PROGRAM, 'start', ...options])
  await untilReady(child, `${url}/meta`)

  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...body }),
      redirect: 'manual',
    })
  const emulate = {
    /** For the service, whose webhooks and sign-in are expected at `service_url`. */
    env: {
      GITHUB_API_URL: url,
      GITHUB_WEB_URL: url,
      APP_ID: String(APP_ID),
      PRIVATE_KEY: private_key.replaceAll('\n', '\\n'),
      WEBHOOK_SECRET,
      PUBLIC_URL: service_url,
      GITHUB_CLIENT_ID: CLIENT.client_id,
      GITHUB_CLIENT_SECRET: CLIENT.client_secret,
    },
    /** Authorizes the OAuth client as a user, as its page does. Returns the address that GitHub redirects to. */
    async authorize(login: string, redirect_uri: string, state: string): Promise<URL> {
      const { client_id } = CLIENT
      const response = await post('/login/oauth/callback', {
        login,
        redirect_uri,
        state,
        client_id,
        scope: '',
      })
      return new URL(response.headers.get('location') as string)
    },
    /** A token of a user, by OAuth. */
    async tokenOf(login: string): Promise<string> {
      const address = await emulate.authorize(login, `${service_url}/session/callback`, 'any')
      const code = address.searchParams.get('code') as string
      const response = await post('/login/oauth/access_token', { ...CLIENT, code })
      return ((await response.json()) as { access_token: string }).access_token
    },
    /** A call of its API; the path is below the repository. Throws if it fails. */
    async call(token: string, method: string, path: string, body?: object): Promise<Body> {
      const response = await fetch(`${url}/repos/acme/shop${path}`, {
        method,
        headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`emulate: ${method} ${path} is ${response.status}: ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    /** Commits a file to a branch. */
    async write(token: string, branch: string, path: string, text: string): Promise<void> {
      const content = Buffer.from(text).toString('base64')
      await emulate.call(token, 'PUT', `/contents/${path}`, { message: `Write ${path}`, content, branch })
    },
    async close() {
      await child.kill('SIGTERM')
      await directory.remove()
    },
  }
  return emulate
}

function seedOf(service_url: string, private_key: string) {
  return {
    users: [{ login: 'ada' }, { login: 'ben' }],
    orgs: [
      {
        login: 'acme',
        members: [
          { login: 'ada', role: 'admin' },
          { login: 'ben', role: 'admin' },
        ],
      },
    ],
    repos: [{ owner: 'acme', name: 'shop', private: false }],
    oauth_apps: [{ ...CLIENT, name: 'Deconflict', redirect_uris: [`${service_url}/session/callback`] }],
    apps: [
      {
        app_id: APP_ID,
        slug: 'deconflict',
        name: 'Deconflict',
        private_key,
        permissions: PERMISSIONS,
        events: ['push', 'pull_request'],
        webhook_url: `${service_url}/api/github/webhooks`,
        webhook_secret: WEBHOOK_SECRET,
        installations: [{ installation_id: 501, account: 'acme', repository_selection: 'all' }],
      },
    ],
  }
}
