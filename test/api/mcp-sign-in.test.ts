/** An MCP client signs in with the App that `/setup` created: the MCP SDK’s own client, and GitHub’s sign-in as its documentation describes it. */
import { createHash } from 'node:crypto'
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { postMcp } from '../support/api.ts'
import { useGithub } from '../support/service.ts'
import { useSetupService } from '../support/setup-service.ts'

const PUBLIC_URL = 'https://deconflict.example'
const ISSUER = 'https://github.com/login/oauth'
/** What clients use, each with a port of its choice. */
const REDIRECTS = {
  'Claude Code': 'http://localhost:8080/callback',
  Codex: 'http://127.0.0.1:5431/callback',
  'VS Code': 'http://127.0.0.1:33418/',
  'Gemini CLI': 'http://localhost:7777/oauth/callback',
  OpenCode: 'http://127.0.0.1:19876/mcp/oauth/callback',
}

const service = useSetupService(useGithub(), { public_url: PUBLIC_URL })
let callbacks: string[]

beforeAll(async () => {
  const { form, cookie } = await service.open()
  callbacks = (form.manifest as { callback_urls: string[] }).callback_urls
  expect((await service.confirm(form, cookie)).status).toBe(303)
})

const metadata = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/access_token`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
}

/** GitHub compares the whole address, but not the port of one on the user’s machine. */
function isAccepted(redirect_uri: string): boolean {
  const withoutPort = redirect_uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1)):\d+\//, '$1/')
  return callbacks.includes(withoutPort)
}

/** The client’s network: the service at its public address, and GitHub’s sign-in, where Ada consents. Returns her token. */
async function signIn(redirect_uri: string): Promise<string> {
  const { client_id, client_secret } = await service.stored()
  let challenge = ''
  let verifier = ''
  let code = ''
  let token = ''
  const consent = (url: URL) => {
    const given = Object.fromEntries(url.searchParams)
    if (given.client_id !== client_id) throw new Error('unknown client')
    if (!isAccepted(given.redirect_uri as string)) throw new Error('redirect_uri_mismatch')
    challenge = given.code_challenge as string
    code = 'code-of-ada'
  }
  const exchange = (form: URLSearchParams, authorization: string | null) => {
    const basic = `Basic ${btoa(`${client_id}:${client_secret}`)}`
    const isKnown = authorization === basic || form.get('client_secret') === client_secret
    const digest = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGranted = isKnown && form.get('code') === code && digest === challenge
    return isGranted ? { access_token: 'ada', token_type: 'bearer' } : { error: 'bad_verification_code' }
  }
  const fetchFn = async (address: string | URL, init: RequestInit = {}) => {
    const url = new URL(address)
    if (url.origin === PUBLIC_URL) return fetch(`${service.url}${url.pathname}`, init)
    if (url.href === 'https://github.com/.well-known/oauth-authorization-server/login/oauth')
      return Response.json(metadata)
    if (url.href !== metadata.token_endpoint) return new Response('', { status: 404 })
    const form = new URLSearchParams(String(init.body))
    return Response.json(exchange(form, new Headers(init.headers).get('authorization')))
  }
  const provider: OAuthClientProvider = {
    redirectUrl: redirect_uri,
    clientMetadata: { redirect_uris: [redirect_uri] },
    clientInformation: () => ({ client_id, client_secret }),
    tokens: () => undefined,
    saveTokens: ({ access_token }) => {
      token = access_token
    },
    redirectToAuthorization: consent,
    saveCodeVerifier: (given) => {
      verifier = given
    },
    codeVerifier: () => verifier,
  }
  await auth(provider, { serverUrl: `${PUBLIC_URL}/mcp`, fetchFn })
  await auth(provider, { serverUrl: `${PUBLIC_URL}/mcp`, fetchFn, authorizationCode: code })
  return token
}

describe('with the App that /setup created', () => {
  test.each(Object.entries(REDIRECTS))('%s signs in, and its token is accepted', async (_, redirect_uri) => {
    const authorization = `Bearer ${await signIn(redirect_uri)}`
    const { status } = await postMcp(service.url, { method: 'tools/list' }, { authorization })
    expect(status).toBe(200)
  })

  test('GitHub returns nobody to another site', async () => {
    await expect(signIn('https://evil.example/callback')).rejects.toThrow('redirect_uri_mismatch')
  })
})
