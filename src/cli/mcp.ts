/** `deconflict mcp`: serves the tools of MCP over standard input and output, for the repository of the working directory. */
import { type Client, createClient, type RequestOf } from '../client/client.ts'
import { type ChangedFiles, readChangedFiles, withChanges } from '../git/working-tree-files.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { Failure } from '../vocabulary/failure.ts'
import { issueOfBranch } from '../vocabulary/issue.ts'
import type { CommonOptions } from './command-context.ts'
import { isLocal, openLocal } from './local-mode.ts'
import { deleteWork } from './local-state.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { findConnection } from './service-connection.ts'
import { declareWork, ownIdIn } from './tree-work.ts'
import { findWorkspace, isSameRepository, resolvePaths, type Workspace } from './workspace.ts'

export async function mcp(runtime: Runtime, options: CommonOptions): Promise<ExitCode> {
  const is_local = isLocal(runtime, options)
  const workspace = await findWorkspace(runtime, { ...options, is_local }).catch((error) => {
    if (is_local) throw error
    return undefined
  })
  const { url, insecure } = options
  const client =
    workspace && (is_local || workspace.is_unknown)
      ? await openLocal(runtime, workspace)
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

type Name = 'checkOverlap' | 'createActivity' | 'updateActivity' | 'createNotable' | 'updateNotable'
type Input = RequestOf<Name>['input'] & object
type Request = { owner: string; repo: string; input?: Input | undefined }

/**
 * A client for agents on this machine: it resolves `scope.paths` against the working directory, and adds `scope.changes` to
 * checks, creates and updates of a scope in this branch, and to creates the issue that the branch names, unless the agent sends
 * them itself. What it starts here goes on with the work of hooks and `deconflict start`. Requests for other repositories, and
 * from outside of a working tree, must have paths from the root.
 */
function withTree(client: Client, workspace: Workspace): Client {
  const { git, tree, is_elsewhere, diff_base: base, remote } = workspace
  const isHere = (request: Request) => tree !== null && !is_elsewhere && isSameRepository(request, workspace)
  const read = () => readChangedFiles(git, { base, remote, staged_only: false })
  const withPaths = async <Given extends Request>(request: Given): Promise<Given> => {
    if (request.input === undefined) return request
    const at = isHere(request) ? workspace : { ...workspace, tree: null }
    return { ...request, input: await withResolvedPaths(request.input, at) }
  }
  const withFiles = async <Given extends Request>(request: Given): Promise<Given> => {
    const resolved = await withPaths(request)
    if (!isHere(request) || resolved.input === undefined) return resolved
    return { ...resolved, input: await withTreeScope(resolved.input, await git.branch(), read) }
  }
  /** The working tree and its branch, unless the request is about another one. */
  const treeOf = async (request: Request) => {
    if (tree === null || !isHere(request)) return undefined
    const { branch: named } = (request.input ?? {}) as { branch?: string | null }
    const branch = (await git.branch()) ?? null
    return named == null || named === branch ? { tree, branch } : undefined
  }
  const forget = async (id: string) =>
    void (tree && deleteWork(tree.git_directory, (await git.branch()) ?? null, id))
  return {
    ...client,
    checkOverlap: async (request) => {
      const { input, ...at } = await withFiles({ ...request, input: request.input ?? {} })
      const here = await treeOf({ ...at, input })
      return client.checkOverlap({ ...at, input: { activity_id: here && ownIdIn(here), ...input } })
    },
    createActivity: async (request) => {
      const given = await withFiles(request)
      const { owner, repo } = given
      const input = isHere(given) ? withIssue(given.input, await git.branch()) : given.input
      const here = await treeOf(given)
      if (!here) return client.createActivity({ ...given, input })
      const { is_continued: _, ...created } = await declareWork(client, { owner, repo }, { ...here, input })
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

/** Adds the issue that the branch names, unless the agent sends one. */
function withIssue<Given extends { branch?: unknown; issue?: unknown }>(
  input: Given,
  current: string | undefined,
): Given {
  const branch = input.branch ?? current
  const issue = typeof branch === 'string' ? issueOfBranch(branch) : null
  return issue === null || input.issue !== undefined ? input : { ...input, issue }
}

/** An agent may send anything: an invalid scope is left as it is, and the service rejects it. */
function pathsIn({ scope }: { scope?: unknown }): string[] | undefined {
  if (!isObject(scope)) return undefined
  const { paths = [] } = scope
  return Array.isArray(paths) && paths.every((path) => typeof path === 'string') ? paths : undefined
}

async function withResolvedPaths(input: Input, workspace: Workspace): Promise<Input> {
  const paths = pathsIn(input)
  if (paths === undefined || paths.length === 0) return input
  const resolved = await resolvePaths(workspace, paths).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error
    throw new Failure('validation_error', `scope.paths: ${error.message}`, { param: 'scope.paths' })
  })
  return { ...input, scope: { ...(input.scope as object), paths: resolved } }
}

/** Adds the changes to the scope. */
async function withTreeScope(
  input: Input,
  branch: string | undefined,
  read: () => Promise<ChangedFiles | undefined>,
): Promise<Input> {
  const { scope = {}, branch: named } = input as { scope?: unknown; branch?: string | null }
  const paths = pathsIn({ scope })
  const isOther = named != null && named !== branch
  if (isOther || paths === undefined || 'changes' in (scope as object)) return input
  const given = withChanges({ areas: [], paths }, await read())
  if (given.scope.changes === undefined) return input
  const { base_sha } = given
  return {
    ...input,
    scope: { ...(scope as object), paths: given.scope.paths, changes: given.scope.changes },
    ...(base_sha !== undefined && { base_sha }),
  } as Input
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
