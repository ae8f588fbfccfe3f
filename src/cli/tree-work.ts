/**
 * One working tree and branch is one activity: goes on with the one that is there, or creates one. `start`, the hooks and
 * `deconflict mcp` share this. Loads no schema.
 */
import type { Client, RequestOf } from '../client/client.ts'
import { DeconflictError } from '../client/client-error.ts'
import type { WorkingTree } from '../git/git-directory.ts'
import type { OutputOf } from '../vocabulary/contract/contract.ts'
import { hasActivity, NO_WORK, readWork, type Work, writeWork } from './local-state.ts'
import type { Workspace } from './workspace.ts'

type At = { owner: string; repo: string }
type CreateInput = RequestOf<'createActivity'>['input']
type UpdateInput = RequestOf<'updateActivity'>['input']
type Created = OutputOf<'createActivity'>

/** The activity of a working tree on its branch; null if there is none, or its create is pending. */
export function ownIdIn({ tree, branch }: Pick<Workspace, 'tree' | 'branch'>): string | null {
  return tree === null ? null : readWork(tree.git_directory, branch).activity_id
}

/** The id of the work. If the response to its create is missing, repeats the create: the service makes one activity for the key. */
export async function idOf(client: Pick<Client, 'createActivity'>, at: At, work: Work): Promise<string> {
  if (work.pending === null) return work.activity_id as string
  return (await client.createActivity({ ...at, ...work.pending })).activity.id
}

/** Updates the work as a sign of life, and takes it out of its pause. Null if it has ended. */
export async function goOn(
  client: Pick<Client, 'createActivity' | 'updateActivity'>,
  at: At,
  { work, changes }: { work: Work; changes: UpdateInput },
): Promise<OutputOf<'updateActivity'> | null> {
  const status = work.is_paused ? { status: 'active' as const } : {}
  try {
    const id = await idOf(client, at, work)
    return await client.updateActivity({ ...at, id, input: { ...changes, ...status, heartbeat: true } })
  } catch (error) {
    const hasEnded =
      error instanceof DeconflictError && ['not_found', 'invalid_transition'].includes(error.type)
    if (hasEnded) return null
    throw error
  }
}

/** What a person or an agent declares in a working tree. Goes on with its work there, or creates it; stores it for the hooks. */
export async function declareWork(
  client: Client,
  at: At,
  given: {
    tree: WorkingTree
    branch: string | null
    input: CreateInput
    /** Whether work that goes on keeps its title. */
    is_unnamed?: boolean
  },
): Promise<Created & { is_continued: boolean }> {
  const { tree, branch, input, is_unnamed = false } = given
  const work = readWork(tree.git_directory, branch)
  const { actor: _, agent: __, ttl_ms: ___, branch: ____, title, summary, ...fields } = input
  const changes = { ...fields, ...(!is_unnamed && { title, summary }) }
  const updated = hasActivity(work) ? await goOn(client, at, { work, changes }) : null
  const answer = updated
    ? await answerFor(client, at, { id: updated.id, input })
    : await client.createActivity({ ...at, input })
  const { id: activity_id, issue } = answer.activity
  writeWork(tree.git_directory, { ...NO_WORK, activity_id, branch, issue, is_declared: true })
  return { ...answer, is_continued: updated !== null }
}

/** The answer to a create, for work that goes on. */
async function answerFor(
  client: Client,
  at: At,
  { id, input }: { id: string; input: CreateInput },
): Promise<Created> {
  const { branch, base_branch, scope, base_sha } = input
  const [retrieved, overlap] = await Promise.all([
    client.getActivity({ ...at, id }),
    client.checkOverlap({ ...at, input: { branch, base_branch, activity_id: id, scope, base_sha } }),
  ])
  const { issue, overlap: _, drift: __, pr_reminder_due: ___, ...activity } = retrieved
  return { activity: { ...activity, issue: issue?.number ?? null }, overlap, issue }
}
