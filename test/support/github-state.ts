/** The state of the fake GitHub: repositories and their contents, users, the App and its installations. */
import { LIST_LIMITS } from '../../src/server/github/repository-calls.ts'

export type Permission = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin'

export interface GithubRepository {
  id: number
  full_name: string
  /** When it was last pushed to. */
  pushed_at?: string
  /** Default true: visible only with a permission. */
  private?: boolean
  /** Former names, which GitHub redirects. */
  former_names?: string[]
  /** Default `main`. */
  default_branch?: string
  /** Read-only: every write is rejected. */
  archived?: boolean
  fork?: boolean
}

export interface GithubCredential {
  token: string
  /** Undefined for an installation token. */
  user?: { login: string; id: number }
  /** By full name, current or former. */
  permissions: Record<string, Permission>
  /** Owners with single sign-on that the token is not authorised for: lists leave their repositories out. */
  without_sso?: string[]
}

/** The author of a pull request, comment or push. The id is derived from the login unless a token's user has that login. */
export interface Actor {
  login: string
  type?: 'User' | 'Bot'
}

export type FileStatus = 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed' | 'unchanged'

export interface PullFile {
  filename: string
  status: FileStatus
  previous_filename?: string
  /** The hunks of the unified diff. Default: one changed line that depends on the head commit. Null: GitHub leaves it out. */
  patch?: string | null
  /** The blob. Default: derived from the head commit and the name. */
  sha?: string
}

export interface PullRequest {
  id: number
  number: number
  title: string
  body: string | null
  state: 'open' | 'closed'
  draft: boolean
  locked: boolean
  author_association: string
  /** Whether it can be merged without a conflict; null while GitHub computes it. */
  mergeable: boolean | null
  author: Actor
  /** `repository` is a full name; null if the fork was deleted. */
  head: { owner: string; repository: string | null; ref: string; sha: string }
  base: { ref: string; sha: string }
  labels: string[]
  /** Logins. */
  assignees: string[]
  files: PullFile[]
  created_at: string
  updated_at: string
  closed_at: string | null
  merged_at: string | null
  merged_by: Actor | null
  merge_commit_sha: string | null
}

export interface Comment {
  id: number
  number: number
  author: Actor
  /** The slug of the App that wrote it. */
  app: string | null
  body: string
  reactions: Record<'+1' | '-1', number>
  created_at: string
  updated_at: string
}

export interface Annotation {
  path: string
  start_line: number
  end_line: number
  annotation_level: 'notice' | 'warning' | 'failure'
  message: string
  title?: string
}

export interface CheckRun {
  id: number
  name: string
  head_sha: string
  status: 'completed'
  conclusion: string
  output: { title: string | null; summary: string | null; text: string | null }
  annotations: Annotation[]
}

/** Path → text. */
export type Tree = Record<string, string>

/** The contents of a repository. */
export interface RepositoryContents {
  branches: Map<string, string>
  /** Former name of a branch → the present one. */
  renamed?: Map<string, string>
  commits: Map<string, Tree>
  /** Commit → the commits that it is built on. */
  parents: Map<string, string[]>
  /** Of the commits that a webhook showed. */
  messages: Map<string, string>
  pulls: PullRequest[]
  comments: Comment[]
  check_runs: CheckRun[]
}

export type AppPermissions = Record<string, 'read' | 'write'>

export interface Installation {
  id: number
  /** The organisation it is installed on. */
  account: string
  /** Repository ids; `all` means every present and future repository of the account. */
  repositories: number[] | 'all'
  permissions: AppPermissions
  events: string[]
  suspended_at: string | null
  created_at: string
}

export interface AppToken {
  token: string
  installation_id: number
  expires_at: string
  permissions: AppPermissions
}

export interface HookDelivery {
  id: number
  guid: string
  event: string
  action: string | null
  delivered_at: string
  redelivery: boolean
  duration: number
  status: string
  status_code: number
  installation_id: number | null
  repository_id: number | null
}

export interface ConfirmedManifest {
  name: string
  owner: string
  default_permissions: AppPermissions
  default_events: string[]
}

export type GithubState = ReturnType<typeof emptyState>

export function emptyState(api_url: string) {
  const app = {
    id: 4711,
    slug: 'deconflict',
    name: 'Deconflict',
    owner: 'deconflict-dev',
    permissions: {
      metadata: 'read',
      contents: 'read',
      pull_requests: 'write',
      checks: 'write',
    } as AppPermissions,
    events: [] as string[],
    installations: [] as Installation[],
    tokens: [] as AppToken[],
    /** Oldest first. */
    deliveries: [] as HookDelivery[],
    /** The ids of the redelivery requests, in order. */
    redelivered: [] as number[],
    /** Confirmed manifests, by the code that exchanges them for an App. */
    manifests: new Map<string, ConfirmedManifest>(),
  }
  return {
    api_url,
    /** GitHub's clock. */
    now: () => new Date(),
    /** How long its lists are. */
    list_limits: LIST_LIMITS,
    /** It truncates a larger tree. */
    tree_entries_max: 100_000,
    repositories: [] as GithubRepository[],
    credentials: [] as GithubCredential[],
    app,
    /** By repository id; `contentsOf` creates missing ones. */
    repository_contents: new Map<number, RepositoryContents>(),
    last_id: 1_000_000,
  }
}

export function nextId(state: GithubState): number {
  state.last_id += 1
  return state.last_id
}

export const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** A current name wins over a former one: GitHub drops the redirect when the name is taken again. */
export function namedRepository(state: GithubState, name: string): GithubRepository | undefined {
  return (
    state.repositories.find((repository) => sameName(repository.full_name, name)) ??
    state.repositories.find((repository) => repository.former_names?.some((former) => sameName(former, name)))
  )
}

/** As `namedRepository`, for a test that knows that there is one. */
export function repositoryNamed(state: GithubState, full_name: string): GithubRepository {
  const repository = namedRepository(state, full_name)
  if (!repository) throw new Error(`no repository ${full_name} on this GitHub`)
  return repository
}

export function installationOf(state: GithubState, repository: GithubRepository): Installation | undefined {
  return state.app.installations.find((installation) => includes(installation, repository))
}

export function installedRepositories(state: GithubState, installation: Installation): GithubRepository[] {
  return state.repositories.filter((repository) => includes(installation, repository))
}

/** Whether the App is installed in the repository by this installation. */
export function includes(installation: Installation, repository: GithubRepository): boolean {
  if (!sameName(ownerOf(repository), installation.account)) return false
  return installation.repositories === 'all' || installation.repositories.includes(repository.id)
}

export function ownerOf(repository: { full_name: string }): string {
  return repository.full_name.split('/')[0] as string
}

export function defaultBranch(repository: GithubRepository): string {
  return repository.default_branch ?? 'main'
}

/** A timestamp with seconds, as GitHub formats it. */
export const timestamp = (date: Date) => date.toISOString().replace(/\.\d+Z$/, 'Z')
