/** A fake GitHub with pull requests, comments and check runs in every state, of one platform. */
import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { contentsOf } from './github-pulls.ts'
import { API_URLS, type Platform } from './github-schemas.ts'
import { type GithubWorld, githubWorld } from './github-world.ts'

/** The first of two comments: of the App, and of a user. */
export const COMMENT_ID = 2_000_010
export const DELIVERY_ID = 2_000_030
export const INSTALLATION_ID = 501
/** The last commit of `feature-1`. */
export const HEAD_SHA = 'feedfacefeedfacefeedfacefeedfacefeedface'

/** `alice` is a user who can write; `installation` is a token of the App. */
export type Caller = 'alice' | 'app' | 'installation' | 'nobody'

interface Given {
  body?: object | undefined
  headers?: Record<string, string> | undefined
}

export type FilledGithub = Awaited<ReturnType<typeof filledGithub>>

export async function filledGithub(platform: Platform) {
  const github = filledWorld(platform)
  const authorizations: Partial<Record<Caller, string>> = {
    alice: 'token tok-alice',
    app: `Bearer ${await jwt(github)}`,
  }
  /** `value` is the body; undefined if there is none. */
  const ask = async (request: string, caller: Caller, { body, headers }: Given = {}) => {
    const [method = '', path = ''] = request.split(' ')
    const authorization = authorizations[caller]
    const answer = await github.answer({
      method,
      path: `${new URL(API_URLS[platform]).pathname.replace(/\/$/, '')}${path}`,
      headers: { ...(authorization && { authorization }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (typeof answer === 'string') throw new Error(`the fake GitHub is ${answer}`)
    const value: unknown = answer.body === '' ? undefined : JSON.parse(answer.body)
    return { ...answer, value }
  }
  const { value } = await ask(`POST /app/installations/${INSTALLATION_ID}/access_tokens`, 'app')
  authorizations.installation = `token ${(value as { token: string }).token}`
  return { github, ask }
}

function jwt({ app }: GithubWorld): Promise<string> {
  const claims = new SignJWT().setProtectedHeader({ alg: 'RS256' }).setIssuer(String(app.id))
  return claims.setIssuedAt().setExpirationTime('9m').sign(createPrivateKey(app.key()))
}

export function filledWorld(platform: Platform): GithubWorld {
  const github = githubWorld(API_URLS[platform])
  github.state.app.events = ['push']
  github.repository({ id: 7, full_name: 'acme/shop', former_names: ['acme/store'] })
  github.repository({ id: 8, full_name: 'acme/docs', private: false })
  github.repository({ id: 9, full_name: 'acme/old', archived: true })
  github.repository({ id: 10, full_name: 'globex/site' })
  const permissions = { 'acme/shop': 'write', 'acme/old': 'read' } as const
  github.token('tok-alice', { login: 'alice', id: 11, permissions })
  github.app.install({ id: INSTALLATION_ID, account: 'acme' })
  github.app.install({ id: 502, account: 'hooli' })
  github.app.suspend(502)
  github.app.addDelivery({ id: DELIVERY_ID, event: 'push', status_code: 202 })
  github.app.addDelivery({ event: 'pull_request', action: 'opened', status_code: 503 })
  const { manifests, permissions: default_permissions } = github.state.app
  manifests.set('a-code', { name: 'Deconflict', owner: 'ada', default_permissions, default_events: ['push'] })
  fillShop(github)
  return github
}

function fillShop(github: GithubWorld): void {
  const shop = github.at('acme/shop')
  const contents = contentsOf(github.state, shop.repository)
  shop.write('.github/deconflict.yml', 'comment: true\n')
  contents.commits.set(HEAD_SHA, { '.github/deconflict.yml': 'comment: false\n', 'src/a.ts': 'a\n' })
  contents.parents.set(HEAD_SHA, [contents.branches.get('main') as string])
  contents.branches.set('feature-1', HEAD_SHA)

  const files = [
    { filename: 'src/added.ts', status: 'added' },
    { filename: 'src/removed.ts', status: 'removed' },
    { filename: 'src/modified.ts', status: 'modified' },
    { filename: 'src/renamed.ts', status: 'renamed', previous_filename: 'src/old.ts' },
    { filename: 'src/copied.ts', status: 'copied', previous_filename: 'src/old.ts' },
    { filename: 'src/changed.ts', status: 'changed' },
    { filename: 'src/unchanged.ts', status: 'unchanged' },
    { filename: 'src/large.ts', status: 'modified', patch: null },
  ] as const
  shop.open({ number: 1, title: 'Add a', body: 'Closes #9', labels: ['bug'], files: [...files] })
  shop.open({ number: 2, draft: true, mergeable: null })
  shop.open({ number: 3 })
  shop.merge(3, 'alice')
  shop.open({ number: 4 })
  shop.close(4)
  shop.open({ number: 5, head: 'eve:patch-1', mergeable: false })
  shop.open({ number: 6, head: 'mallory:patch-1', fork_deleted: true })
  shop.open({ number: 7, author: { login: 'renovate[bot]', type: 'Bot' } })
  shop.open({ number: 8, locked: true })

  const byApp = { author: 'deconflict[bot]', app: 'deconflict' }
  shop.comment(1, { ...byApp, body: 'One overlap' }).id = COMMENT_ID
  shop.comment(1, { author: 'alice', body: 'Thanks' }).id = COMMENT_ID + 1
}
