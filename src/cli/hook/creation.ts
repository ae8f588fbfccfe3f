/**
 * Creates the activity of a session. The request is stored before it is sent: if its response does not arrive, a later hook
 * sends exactly the same one with the same key, and gets the activity that the service may have created.
 */
import { DeconflictError } from '../../client/client-error.ts'
import { type ChangedFiles, withChanges } from '../../git/working-tree-files.ts'
import { type LocalState, NO_WORK } from '../local-state.ts'
import { issueFor } from './issue.ts'
import { placesOf, type SessionContext, type StepResult } from './places.ts'

/** The time to live of an activity after the last heartbeat of its session, which may be killed. */
export const TTL_MS = 1_800_000

/** The maximum number of changed files whose names are remembered. */
const NAMES_MAX = 500

export async function create(
  context: SessionContext,
  { paths, changed, state }: { paths: string[]; changed: ChangedFiles | undefined; state: LocalState },
): Promise<StepResult> {
  const { situation, workspace } = context
  const { branch, own_branch, base_branch, person: actor } = workspace
  const { agent, now } = situation
  const issue = issueFor(context, state)
  const input = {
    title: titleFor(branch),
    summary: `A session of ${agent}. Its files are those that it changes or is about to edit.`,
    actor,
    agent,
    branch: own_branch,
    base_branch,
    ttl_ms: TTL_MS,
    ...(issue !== null && { issue }),
    ...withChanges({ areas: [], paths }, changed),
  }
  const pending = { idempotency_key: newKey(now), input, at: now }
  // `heartbeat_at` is 0, so that a heartbeat is due in the hook that repeats the create.
  const begun = {
    ...{ ...state, ...NO_WORK, branch, paths, areas: [], pending, issue, is_issue_due: issue !== null },
    ...(await sentOf(changed)),
  }
  const client = await context.connect()
  context.save(begun)
  try {
    const created = await client.createActivity({
      ...context.at,
      input,
      idempotency_key: pending.idempotency_key,
    })
    return {
      state: { ...begun, activity_id: created.activity.id, pending: null, heartbeat_at: now },
      found: { ...placesOf(created.overlap, context.isInTree), issue: created.issue },
    }
  } catch (error) {
    if (isRefusal(error) || wasNotSent(error)) context.save({ ...begun, ...NO_WORK, branch })
    throw error
  }
}

/** Whether the service refused a request because of its content, so that it would refuse the same request again. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof DeconflictError)) return false
  const { type, status } = error
  if (status === null || type === 'idempotency_conflict') return false
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)
}

/** Whether a request was certainly not sent, because no connection was established. */
function wasNotSent(error: unknown): boolean {
  const { type, cause } = error instanceof DeconflictError ? error : {}
  const { syscall } = Object(Object(cause).cause) as { syscall?: string }
  return type === 'unreachable' && (syscall === 'connect' || syscall === 'getaddrinfo')
}

/** A random key. Loading `crypto` to make one would take longer than the rest of a hook. */
function newKey(now: number): string {
  return `hook-${now.toString(36)}-${Math.random().toString(36).slice(2)}`
}

/** What is remembered of changed files that are sent. */
export async function sentOf(
  changed: ChangedFiles | undefined,
): Promise<{ changes_hash: string; changed_paths: string[] }> {
  if (changed === undefined) return { changes_hash: '', changed_paths: [] }
  const { createHash } = process.getBuiltinModule('node:crypto')
  const changes_hash = createHash('sha256').update(JSON.stringify(changed)).digest('hex')
  return { changes_hash, changed_paths: changed.changes.slice(0, NAMES_MAX).map(({ path }) => path) }
}

export function titleFor(branch: string | null): string {
  return `Work ${branch === null ? 'without a branch' : `on ${branch}`}`.slice(0, 200)
}
