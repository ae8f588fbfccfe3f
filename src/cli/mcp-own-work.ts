/** A client for agents on this machine, whose work is that of the working tree: with the hooks and `deconflict start`. */
import type { Client } from '../client/client.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { deleteWork } from './local-state.ts'
import { declareWork, ownIdIn } from './tree-work.ts'
import { isSameRepository, type Workspace } from './workspace.ts'

/** The activity of the branch that is checked out in the working tree; undefined if there is none. */
export async function findOwnId({ git, git_directory }: Workspace): Promise<string | undefined> {
  return ownIdIn({ git_directory, branch: (await git.branch()) ?? null }) ?? undefined
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
export function withOwnWork(client: Client, workspace: Workspace): Client {
  const { git, git_directory, is_elsewhere } = workspace
  if (git_directory === null || is_elsewhere) return client
  const isHere = async ({ input, ...at }: Request) =>
    isSameRepository(at, workspace) && (input?.branch == null || input.branch === (await git.branch()))
  const branchHere = async () => (await git.branch()) ?? null
  const forget = async (id: string) => deleteWork(git_directory, await branchHere(), id)
  return {
    ...client,
    checkOverlap: async ({ input, ...at }) => {
      const own = (await isHere({ ...at, input })) ? { activity_id: await findOwnId(workspace) } : {}
      return client.checkOverlap({ ...at, input: { ...own, ...input } })
    },
    createActivity: async (request) => {
      if (!(await isHere(request))) return client.createActivity(request)
      const { input, idempotency_key: _, ...at } = request
      const tree = { git_directory, branch: await branchHere() }
      // The client adds the changed files to a scope.
      const declared = await declareWork(client, at, { tree, input: { ...input, scope: input.scope ?? {} } })
      const { is_continued: __, ...created } = declared
      return created
    },
    updateActivity: async (request) => {
      const answer = await client.updateActivity(request)
      if (!isLive(answer.status)) await forget(answer.id)
      return answer
    },
    archiveActivity: async (request) => {
      const answer = await client.archiveActivity(request)
      await forget(answer.id)
      return answer
    },
  }
}
