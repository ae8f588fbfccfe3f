/**
 * A client that leaves the work of this working tree out of the overlap that an agent reads over MCP. Without a branch, as on
 * the base branch, the service cannot identify it.
 */
import type { Client } from '../client/client.ts'
import type { Clock } from '../vocabulary/clock.ts'
import type { OverlapBrief } from '../vocabulary/contract/overlap.ts'
import { deleteState, mcpKey, NO_STATE, readState, writeState } from './local-state.ts'
import { briefWithoutOwn, ownActivityIds, withoutOwn } from './own-activities.ts'
import { isSameRepository, type Workspace } from './workspace.ts'

interface Request {
  owner: string
  repo: string
  input?: { branch?: string | null | undefined } | undefined
}

/**
 * Also stores which activities the agent creates, so that hooks and commands leave them out too. Requests for another
 * repository or branch are not changed. Outside of a working tree of the repository, returns `client` unchanged.
 */
export function withoutOwnWork(client: Client, workspace: Workspace, clock: Clock): Client {
  const { git, git_directory, is_elsewhere } = workspace
  if (git_directory === null || is_elsewhere) return client
  const isHere = async ({ input, ...at }: Request) =>
    isSameRepository(at, workspace) && (input?.branch == null || input.branch === (await git.branch()))
  const ownIds = async () => ownActivityIds({ git_directory, branch: (await git.branch()) ?? null })
  const store = (activity_id: string) =>
    writeState(git_directory, mcpKey(activity_id), {
      ...NO_STATE,
      activity_id,
      heartbeat_at: clock().getTime(),
    })
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
      const created = await client.createActivity(request)
      if (!(await isHere(request))) return created
      const own = await ownIds()
      store(created.activity.id)
      return { ...created, overlap: withoutOwn(created.overlap, own) }
    },
    updateActivity: async (request) => withoutOwnIn(request, await client.updateActivity(request)),
    heartbeatActivity: async (request) => {
      const answer = await client.heartbeatActivity(request)
      // A state that is not written again is deleted after a day.
      if (readState(git_directory, mcpKey(request.id)).activity_id === request.id) store(request.id)
      return withoutOwnIn(request, answer)
    },
    getActivity: async (request) => withoutOwnIn(request, await client.getActivity(request)),
    archiveActivity: async (request) => {
      const answer = await client.archiveActivity(request)
      deleteState(git_directory, mcpKey(answer.id))
      return answer
    },
  }
}
