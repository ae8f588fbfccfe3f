/** `deconflict mcp`: serves the tools of MCP over standard input and output, for the repository of the working directory. */
import { type Client, createClient, type RequestOf } from '../client/client.ts'
import { withChanges } from '../git/working-tree-files.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { Failure } from '../vocabulary/failure.ts'
import { issueOfBranch } from '../vocabulary/issue.ts'
import { type CommonOptions, changedFilesOf } from './command-context.ts'
import { isLocal, NO_REMOTE, NO_SERVICE, openLocal } from './local-mode.ts'
import { deleteWork } from './local-state.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { findConnection } from './service-connection.ts'
import { declareWork, ownIdIn } from './tree-work.ts'
import { findWorkspace, resolvePaths, type Workspace } from './workspace.ts'

export async function mcp(runtime: Runtime, options: CommonOptions): Promise<ExitCode> {
  const is_local = isLocal(runtime, options)
  const workspace = await findWorkspace(runtime, { ...options, is_local }).catch((error) => {
    if (is_local) throw error
    return undefined
  })
  const { url, insecure } = options
  const others_unknown = is_local ? NO_SERVICE : `other machines: ${NO_REMOTE}`
  const client =
    workspace && (is_local || workspace.is_unknown)
      ? await perRequest(() => openLocal(runtime, workspace, { others_unknown }))
      : createClient(await findConnection(runtime, workspace, { url, insecure }))
  const actor = workspace?.person ?? runtime.env.USER
  const atTree = workspace && withTree(client, workspace)
  // Loaded on demand: most commands do not need it.
  const { serveStdio } = await import('./mcp-stdio.ts')
  await serveStdio(atTree ?? client, {
    ...(workspace && {
      repository: `${workspace.owner}/${workspace.repo}`,
      findOwnId: async () => ownIdIn({ ...workspace, branch: (await workspace.git.branch()) ?? null }),
    }),
    ...(actor && { actor }),
  })
  return EXIT.clear
}

/** Each request reads the settings as they are then, and has time of its own: the server runs as long as its agent. */
async function perRequest(open: () => Promise<Client>): Promise<Client> {
  const names = Object.keys(await open()) as (keyof Client)[]
  const methods = names.map((name) => [name, async (request: never) => (await open())[name](request)])
  return Object.fromEntries(methods) as Client
}

type Name = 'checkOverlap' | 'createActivity' | 'updateActivity' | 'createNotable' | 'updateNotable'
type Input = RequestOf<Name>['input'] & object
type Request = { owner: string; repo: string; input?: Input | undefined }

/**
 * A client for agents on this machine: it resolves `scope.paths` against the working directory, and adds `scope.changes` to
 * checks, creates and updates of a scope in this branch, the branch to checks and creates, and to creates the issue that it names,
 * unless the agent sends them itself. What it starts here goes on with the work of hooks and `deconflict start`. Requests for
 * other repositories, and from outside of a working tree, must have paths from the root.
 */
function withTree(client: Client, workspace: Workspace): Client {
  const { git, tree, is_elsewhere, diff_base: base } = workspace
  const nameOf = ({ owner, repo }: Pick<Workspace, 'owner' | 'repo'>) => `${owner}/${repo}`.toLowerCase()
  /** The working tree and its branch, unless the request is about another repository or branch. */
  const placeOf = async (request: Request) => {
    if (tree === null || is_elsewhere || nameOf(request) !== nameOf(workspace)) return undefined
    const branch = (await git.branch()) ?? null
    const { branch: named } = (request.input ?? {}) as { branch?: string | null }
    const own_branch = named ?? (branch === base ? null : branch)
    return { tree, branch, own_branch, is_own: named == null || named === branch }
  }
  const withPaths = async <Given extends Request>(request: Given): Promise<Given> => {
    const place = await placeOf(request)
    const input = await withResolvedPaths(request.input, place ? workspace : { ...workspace, tree: null })
    return { ...request, input }
  }
  /** With the changed files of the working tree too. */
  const withFiles = async <Given extends Request>(request: Given): Promise<Given> => {
    const resolved = await withPaths(request)
    const { scope = {} } = (resolved.input ?? {}) as { scope?: unknown }
    const paths = pathsIn(scope)
    const isOwn = (await placeOf(request))?.is_own === true
    if (!isOwn || paths === undefined || 'changes' in (scope as object)) return resolved
    const reading = changedFilesOf(workspace)
    // What the agent names can be compared without them, as with `--paths`.
    const changed = await (paths.length > 0 ? reading.catch(() => undefined) : orFailure(reading))
    const { scope: given, base_sha } = withChanges({ areas: [], paths }, changed)
    if (given.changes === undefined) return resolved
    const added = { ...(scope as object), paths: given.paths, changes: given.changes }
    return { ...resolved, input: { ...resolved.input, scope: added, ...(base_sha && { base_sha }) } }
  }
  const forget = async (id: string) =>
    void (tree && deleteWork(tree.git_directory, (await git.branch()) ?? null, id))
  return {
    ...client,
    checkOverlap: async (request) => {
      const { input, ...at } = await withFiles({ ...request, input: request.input ?? {} })
      const place = await placeOf({ ...at, input })
      const own = place?.is_own && { activity_id: ownIdIn(place), branch: place.own_branch }
      return client.checkOverlap({ ...at, input: { ...own, ...input } })
    },
    createActivity: async (request) => {
      const given = await withFiles(request)
      const { owner, repo } = given
      const place = await placeOf(given)
      if (place === undefined) return client.createActivity(given)
      // An agent may send anything as its branch.
      const issue = issueOfBranch(place.own_branch && String(place.own_branch))
      const input = { ...(issue !== null && { issue }), ...given.input, branch: place.own_branch }
      if (!place.is_own) return client.createActivity({ ...given, input })
      const { is_continued: _, ...created } = await declareWork(client, { owner, repo }, { ...place, input })
      return created
    },
    updateActivity: async (request) => {
      const given = request.input?.scope === undefined ? request : await withFiles(request)
      const answer = await client.updateActivity(given)
      if (!isLive(answer.status)) await forget(answer.id)
      return answer
    },
    archiveActivity: async (request) => {
      const answer = await client.archiveActivity(request)
      await forget(answer.id)
      return answer
    },
    createNotable: async (request) => client.createNotable(await withPaths(request)),
    updateNotable: async (request) => client.updateNotable(await withPaths(request)),
  }
}

/** An agent may send anything: an invalid scope is left as it is, and the service rejects it. */
function pathsIn(scope: unknown): string[] | undefined {
  if (typeof scope !== 'object' || scope === null || Array.isArray(scope)) return undefined
  const { paths = [] } = scope as { paths?: unknown }
  return Array.isArray(paths) && paths.every((path) => typeof path === 'string') ? paths : undefined
}

async function withResolvedPaths<Given extends Input | undefined>(
  input: Given,
  workspace: Workspace,
): Promise<Given> {
  const { scope } = (input ?? {}) as { scope?: object }
  const typed = pathsIn(scope)
  if (typed === undefined || typed.length === 0) return input
  return { ...input, scope: { ...scope, paths: await orFailure(resolvePaths(workspace, typed)) } } as Given
}

async function orFailure<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error
    throw new Failure('validation_error', `scope.paths: ${error.message}`, { param: 'scope.paths' })
  })
}
