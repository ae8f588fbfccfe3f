/** Creating the App from a manifest: GitHub's form, which here confirms by itself, and the exchange of its code for the credentials. */
import { randomBytes } from 'node:crypto'
import { appKey } from './github-app.ts'
import { appBody } from './github-bodies.ts'
import { type GithubResponse, json, notFound, page } from './github-reply.ts'
import type { GithubRequest } from './github-route.ts'
import type { ConfirmedManifest, GithubState } from './github-state.ts'

interface Manifest extends Omit<ConfirmedManifest, 'owner'> {
  redirect_url: string
}

/** The answer of a page, or of the exchange of a code; undefined for every other path. */
export function manifestAnswer(
  state: GithubState,
  { method, path, body = '' }: GithubRequest,
): GithubResponse | undefined {
  const { pathname, searchParams } = new URL(path, state.api_url)
  const form = /^(?:\/organizations\/([^/]+))?\/settings\/apps\/new$/.exec(pathname)
  if (form && method === 'POST') {
    const manifest = JSON.parse(new URLSearchParams(body).get('manifest') ?? '') as Manifest
    const code = randomBytes(20).toString('hex')
    state.app.manifests.set(code, { ...manifest, owner: form[1] ?? 'ada' })
    const location = new URL(manifest.redirect_url)
    location.searchParams.set('code', code)
    location.searchParams.set('state', searchParams.get('state') ?? '')
    return { status: 302, headers: { location: location.href }, body: '' }
  }
  if (method === 'GET' && pathname === `/apps/${state.app.slug}/installations/new`)
    return page(200, `<!doctype html><title>Install ${state.app.name}</title><h1>Install</h1>`)
  const [, code] = /\/app-manifests\/([^/]+)\/conversions$/.exec(pathname) ?? []
  return code !== undefined && method === 'POST' ? conversion(state, code) : undefined
}

function conversion(state: GithubState, code: string): GithubResponse {
  const manifest = state.app.manifests.get(code)
  if (!manifest) return notFound()
  state.app.manifests.delete(code)
  const { name, owner, default_permissions, default_events } = manifest
  Object.assign(state.app, { name, owner, permissions: default_permissions, events: default_events })
  const secret = () => randomBytes(20).toString('hex')
  const secrets = { client_secret: secret(), webhook_secret: secret(), pem: appKey() }
  return json(201, { ...appBody(state), ...secrets })
}
