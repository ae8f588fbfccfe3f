/** The JSON of accounts, repositories, the App and its installations, the same in REST and webhooks. GitHub's examples have the fields that the service does not read. */
import examples from '@octokit/webhooks-examples' with { type: 'json' }
import { digest } from './github-reply.ts'
import {
  type Actor,
  defaultBranch,
  type GithubRepository,
  type GithubState,
  type Installation,
  ownerOf,
  type Permission,
  type PullRequest,
  sameName,
} from './github-state.ts'

export type Json = Record<string, unknown>

/** GitHub's example of an event, if possible of the action. */
export function exampleOf(event: string, action?: string): Json {
  const all = (examples as unknown as { name: string; examples: Json[] }[]).find(
    ({ name }) => name === event,
  )?.examples
  const example = all?.find((known) => known.action === action) ?? all?.[0]
  if (!example) throw new Error(`GitHub gives no example of ${event}`)
  return example
}

/** An example with the addresses of the fake, and with other texts in the place of some. */
export function filledIn(
  state: GithubState,
  example: Json,
  texts: [from: string | RegExp, to: string][],
): Json {
  const web = webUrl(state)
  const { host } = new URL(web)
  const text = JSON.stringify(example)
    .replaceAll('https://api.github.com', state.api_url)
    .replaceAll('https://github.com', web)
    .replaceAll('git://github.com', `git://${host}`)
    .replaceAll('git@github.com', `git@${host}`)
  return JSON.parse(texts.reduce((filled, [from, to]) => filled.replaceAll(from, () => to), text))
}

const { repository, pull_request } = exampleOf('pull_request', 'opened') as Record<string, Json>
const { organization } = exampleOf('organization') as Record<string, Json>
const { user, head: _, base: __, ...pull } = pull_request as Json
const PARTS = {
  repository: { example: repository as Json, named: 'Codertocat/Hello-World' },
  organization: { example: organization as Json, named: 'Octocoders' },
  user: { example: user as Json, named: 'Codertocat' },
}
const parts = new Map<string, Json>()

export function partOf(state: GithubState, kind: keyof typeof PARTS, name: string): Json {
  const key = `${state.api_url} ${kind} ${name}`
  const { example, named } = PARTS[kind]
  const part = parts.get(key) ?? filledIn(state, example, [[named, name]])
  parts.set(key, part)
  return part
}

/** The example of a pull request, with the addresses of this one. */
export function pullPart(state: GithubState, full_name: string, { number, head }: PullRequest): Json {
  const { sha } = (pull_request as { head: { sha: string } }).head
  return filledIn(state, pull, [
    ['Codertocat/Hello-World', full_name],
    [/(?<=\/(?:pulls?|issues)\/)2\b/g, String(number)],
    [sha, head.sha],
  ])
}

export function account(
  state: GithubState,
  login: string,
  id: number,
  type: 'User' | 'Organization' | 'Bot',
): Json {
  return {
    ...partOf(state, 'user', encodeURIComponent(login)),
    login,
    id,
    node_id: nodeId({ User: 'U', Organization: 'O', Bot: 'BOT' }[type], id),
    avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
    html_url: `${webUrl(state)}/${type === 'Bot' ? `apps/${login.replace(/\[bot\]$/, '')}` : login}`,
    type,
    user_view_type: 'public',
  }
}

/** A user or a bot. A login that ends in `[bot]` is a bot's. */
export function actorBody(state: GithubState, actor: Actor): Json {
  const known = state.credentials.find(({ user }) => user && sameName(user.login, actor.login))?.user
  const type = actor.type ?? (actor.login.endsWith('[bot]') ? 'Bot' : 'User')
  return account(state, actor.login, known?.id ?? accountId(actor.login), type)
}

/** An organisation: only forks belong to users. */
export function ownerBody(state: GithubState, login: string): Json {
  return account(state, login, accountId(login), 'Organization')
}

export function appActor(state: GithubState): Actor {
  return { login: `${state.app.slug}[bot]`, type: 'Bot' }
}

/** Fields that are newer than the examples. */
const NEW_REPOSITORY_FIELDS = {
  has_discussions: false,
  allow_forking: true,
  is_template: false,
  web_commit_signoff_required: false,
  topics: [],
}

export function repositoryBody(state: GithubState, repository: GithubRepository): Json {
  const owner = ownerOf(repository)
  const isPrivate = repository.private ?? true
  return {
    ...partOf(state, 'repository', repository.full_name),
    ...NEW_REPOSITORY_FIELDS,
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.full_name.split('/')[1],
    private: isPrivate,
    owner: repository.fork ? actorBody(state, { login: owner }) : ownerBody(state, owner),
    fork: repository.fork ?? false,
    pushed_at: repository.pushed_at ?? '2026-01-15T08:00:00Z',
    archived: repository.archived ?? false,
    visibility: isPrivate ? 'private' : 'public',
    default_branch: defaultBranch(repository),
  }
}

/** A fork is not in the state: it appears only in pull requests. */
export function forkOf(repository: GithubRepository, full_name: string): GithubRepository {
  const id = 500_000_000 + accountId(full_name)
  return { ...repository, id, full_name, fork: true, former_names: [] }
}

export function permissionsOf(permission: Permission): Record<string, boolean> {
  const ranks: Permission[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin']
  const atLeast = (least: Permission) => ranks.indexOf(permission) >= ranks.indexOf(least)
  return {
    admin: atLeast('admin'),
    maintain: atLeast('maintain'),
    push: atLeast('write'),
    triage: atLeast('triage'),
    pull: atLeast('read'),
  }
}

export function appBody(state: GithubState): Json {
  const { app } = state
  return {
    id: app.id,
    client_id: 'Iv23liDeconflictTest',
    slug: app.slug,
    node_id: nodeId('A', app.id),
    owner: ownerBody(state, app.owner),
    name: app.name,
    description: '',
    external_url: 'https://deconflict.example.com',
    html_url: `${webUrl(state)}/apps/${app.slug}`,
    created_at: '2026-01-01T08:00:00Z',
    updated_at: '2026-01-01T08:00:00Z',
    permissions: app.permissions,
    events: app.events,
  }
}

export function installationBody(state: GithubState, installation: Installation): Json {
  const { id, account: login } = installation
  return {
    id,
    client_id: 'Iv23liDeconflictTest',
    account: ownerBody(state, login),
    repository_selection: selectionOf(installation),
    access_tokens_url: `${state.api_url}/app/installations/${id}/access_tokens`,
    repositories_url: `${state.api_url}/installation/repositories`,
    html_url: `${webUrl(state)}/organizations/${login}/settings/installations/${id}`,
    app_id: state.app.id,
    app_slug: state.app.slug,
    target_id: ownerBody(state, login).id,
    target_type: 'Organization',
    permissions: installation.permissions,
    events: installation.events,
    created_at: installation.created_at,
    updated_at: installation.created_at,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspended_at ? ownerBody(state, login) : null,
    suspended_at: installation.suspended_at,
  }
}

export const selectionOf = ({ repositories }: Installation) => (repositories === 'all' ? 'all' : 'selected')

export function webUrl(state: GithubState): string {
  return new URL(state.api_url).origin.replace('://api.', '://')
}

export const nodeId = (prefix: string, id: number) =>
  `${prefix}_${Buffer.from(`${prefix}:${id}`).toString('base64url')}`
export const accountId = (login: string) => Number.parseInt(digest(login.toLowerCase()).slice(0, 7), 16)
