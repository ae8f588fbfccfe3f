/**
 * A client that leaves the work of this working tree out of the overlap that an agent reads over MCP. Without a branch, as on
 * the base branch, the service cannot identify it.
 */
import type { Client } from '../client/client.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import type { OverlapBrief } from '../vocabulary/contract/overlap.ts'
import { deleteWork, readWork } from './local-state.ts'
import { briefWithoutOwn, ownActivityIds, withoutOwn } from './own-activities.ts'
import { declareWork } from './tree-work.ts'
import { isSameRepository, type Workspace } from './workspace.ts'

/** The activity of the branch that is checked out in the working tree; undefined if there is none. */
export async function ownIdIn({ git, git_directory }: Workspace): Promise<string | undefined> {
  if (git_directory === null) return undefined
  return readWork(git_directory, (await git.branch()) ?? null).activity_id ?? undefined
}

interface Request {
  owner: string
  repo: string
  input?: { branch?: string | null | undefined } | undefined
}

/**
 * Work that the agent starts here goes on with that of hooks and `deconflict start`. Requests for another repository or branch
 * are not changed. Outside of a working tree of the repository, returns `client` unchanged.
 */
export function withoutOwnWork(client: Client, workspace: Workspace): Client {
  const { git, git_directory, is_elsewhere } = workspace
  if (git_directory === null || is_elsewhere) return client
  const isHere = async ({ input, ...at }: Request) =>
    isSameRepository(at, workspace) && (input?.branch == null || input.branch === (await git.branch()))
  const branchHere = async () => (await git.branch()) ?? null
  const ownIds = async () => ownActivityIds({ git_directory, branch: await branchHere() })
  const forget = async (id: string) => deleteWork(git_directory, await branchHere(), id)
  const withoutOwnIn = async <Answer extends { overlap: OverlapBrief | null }>(
    { owner, repo }: Request,
    answer: Answer,
  ): Promise<Answer> =>
    answer.overlap === null || !isSameRepository({ owner, repo }, workspace)
      ? answer
      : { ...answer, overlap: briefWithoutOwn(answer.overlap, await ownIds()) }
  return {
    ...client,
    checkOverlap: async (request) => {
      const overlap = await client.checkOverlap(request)
      return (await isHere(request)) ? withoutOwn(overlap, await ownIds()) : overlap
    },
    createActivity: async (request) => {
      if (!(await isHere(request))) return client.createActivity(request)
      const { input, idempotency_key: _, ...at } = request
      const tree = { git_directory, branch: await branchHere() }
      // The client adds the changed files to a scope.
      const declared = await declareWork(client, at, { tree, input: { ...input, scope: input.scope ?? {} } })
      const { is_continued: __, ...created } = declared
      return { ...created, overlap: withoutOwn(created.overlap, await ownIds()) }
    },
    updateActivity: async (request) => {
      const answer = await client.updateActivity(request)
      if (!isLive(answer.status)) await forget(answer.id)
      return withoutOwnIn(request, answer)
    },
    heartbeatActivity: async (request) => withoutOwnIn(request, await client.heartbeatActivity(request)),
    getActivity: async (request) => withoutOwnIn(request, await client.getActivity(request)),
    archiveActivity: async (request) => {
      const answer = await client.archiveActivity(request)
      await forget(answer.id)
      return answer
    },
  }
}
