/** A client that adds the changed files of the working tree to what an agent sends over MCP. */
import type { Client, RequestOf } from '../client/client.ts'
import { withChanges } from './given-scope.ts'
import { type ChangedFiles, readChangedFiles } from './working-tree-files.ts'
import type { Workspace } from './workspace.ts'

type Name = 'checkOverlap' | 'createActivity' | 'updateActivity'
type Input = RequestOf<Name>['input'] & object

/**
 * Returns a client that adds `scope.changes` to checks, creates and updates of a scope in this repository and branch, unless
 * the agent sends them itself. Outside of a working tree, returns `client` unchanged.
 */
export function withTreeChanges(client: Client, workspace: Workspace): Client {
  const { git, git_directory, diff_base: base, remote } = workspace
  if (git_directory === null) return client
  const read = () => readChangedFiles(git, { base, remote, staged_only: false })
  const withTree = async <Request extends { owner: string; repo: string; input?: Input }>(
    request: Request,
  ): Promise<Request> => {
    const { input } = request
    if (input === undefined || !isSame(request, workspace)) return request
    return { ...request, input: await withTreeScope(input, await git.branch(), read) }
  }
  return {
    ...client,
    checkOverlap: async (request) =>
      client.checkOverlap(await withTree({ ...request, input: request.input ?? {} })),
    createActivity: async (request) => client.createActivity(await withTree(request)),
    updateActivity: async (request) =>
      client.updateActivity(request.input?.scope === undefined ? request : await withTree(request)),
  }
}

function isSame(one: { owner: string; repo: string }, other: { owner: string; repo: string }): boolean {
  const nameOf = ({ owner, repo }: { owner: string; repo: string }) => `${owner}/${repo}`.toLowerCase()
  return nameOf(one) === nameOf(other)
}

/** Adds the changes to the scope. An agent may send anything: an invalid scope is left as it is, and the service rejects it. */
async function withTreeScope(
  input: Input,
  branch: string | undefined,
  read: () => Promise<ChangedFiles | undefined>,
): Promise<Input> {
  const { scope = {} } = input as { scope?: unknown }
  const isOther = input.branch != null && input.branch !== branch
  if (isOther || !isObject(scope) || 'changes' in scope) return input
  const { paths = [] } = scope
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string')) return input
  const given = withChanges({ areas: [], paths }, await read())
  if (given.scope.changes === undefined) return input
  const { base_sha } = given
  return {
    ...input,
    scope: { ...scope, paths: given.scope.paths, changes: given.scope.changes },
    ...(base_sha !== undefined && { base_sha }),
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
