/** The JSON of accounts, repositories, the App and its installations, the same in REST and webhooks. */
import { digest } from './github-reply.ts'
import {
  type Actor,
  defaultBranch,
  type GithubRepository,
  type GithubState,
  type Installation,
  ownerOf,
  type Permission,
  sameName,
} from './github-state.ts'
import { accountUrls, repositoryUrls } from './github-urls.ts'

export type Json = Record<string, unknown>

export function account(
  state: GithubState,
  login: string,
  id: number,
  type: 'User' | 'Organization' | 'Bot',
): Json {
  const url = `${state.api_url}/users/${encodeURIComponent(login)}`
  const prefix = { User: 'U', Organization: 'O', Bot: 'BOT' }[type]
  return {
    login,
    id,
    node_id: nodeId(prefix, id),
    avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
    gravatar_id: '',
    url,
    ...accountUrls(url),
    html_url: `${webUrl(state)}/${type === 'Bot' ? `apps/${login.replace(/\[bot\]$/, '')}` : login}`,
    type,
    user_view_type: 'public',
    site_admin: false,
  }
}

/** A user or a bot. A login that ends in `[bot]` is a bot's. */
export function actorBody(state: GithubState, actor: Actor): Json {
  const known = state.credentials.find(({ user }) => user && sameName(user.login, actor.login))?.user
  const type = actor.type ?? (actor.login.endsWith('[bot]') ? 'Bot' : 'User')
  return account(state, actor.login, known?.id ?? accountId(actor.login), type)
}

export function ownerBody(state: GithubState, login: string): Json {
  const installation = state.app.installations.find((known) => sameName(known.account, login))
  if (installation?.account_type === 'User') return actorBody(state, { login })
  return account(state, login, accountId(login), 'Organization')
}

export function appActor(state: GithubState): Actor {
  return { login: `${state.app.slug}[bot]`, type: 'Bot' }
}

const UNUSED_REPOSITORY_FIELDS = {
  homepage: null,
  size: 0,
  stargazers_count: 0,
  watchers_count: 0,
  watchers: 0,
  language: null,
  has_issues: true,
  has_projects: true,
  has_downloads: true,
  has_wiki: true,
  has_pages: false,
  has_discussions: false,
  forks_count: 0,
  forks: 0,
  mirror_url: null,
  open_issues_count: 0,
  open_issues: 0,
  license: null,
  allow_forking: true,
  is_template: false,
  web_commit_signoff_required: false,
  topics: [],
}

export function repositoryBody(state: GithubState, repository: GithubRepository): Json {
  const owner = ownerOf(repository)
  const url = `${state.api_url}/repos/${repository.full_name}`
  const web = `${webUrl(state)}/${repository.full_name}`
  const isPrivate = repository.private ?? true
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.full_name.split('/')[1],
    full_name: repository.full_name,
    private: isPrivate,
    owner: repository.fork ? actorBody(state, { login: owner }) : ownerBody(state, owner),
    html_url: web,
    description: null,
    fork: repository.fork ?? false,
    url,
    ...repositoryUrls(url, web),
    created_at: '2024-01-15T08:00:00Z',
    updated_at: '2026-01-15T08:00:00Z',
    pushed_at: repository.pushed_at ?? '2026-01-15T08:00:00Z',
    ...UNUSED_REPOSITORY_FIELDS,
    archived: repository.archived ?? false,
    disabled: false,
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
    owner: account(state, app.owner, accountId(app.owner), 'Organization'),
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
  const { id, account: login, account_type } = installation
  const settings = account_type === 'User' ? '' : `/organizations/${login}`
  return {
    id,
    client_id: 'Iv23liDeconflictTest',
    account: ownerBody(state, login),
    repository_selection: selectionOf(installation),
    access_tokens_url: `${state.api_url}/app/installations/${id}/access_tokens`,
    repositories_url: `${state.api_url}/installation/repositories`,
    html_url: `${webUrl(state)}${settings}/settings/installations/${id}`,
    app_id: state.app.id,
    app_slug: state.app.slug,
    target_id: ownerBody(state, login).id,
    target_type: account_type,
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
