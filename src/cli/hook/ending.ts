/** The end of a session or a subagent: what becomes of its work in all working trees of the repository. */
import { join } from 'node:path'
import { Git } from '../../git/git.ts'
import type { WorkingTree } from '../../git/git-directory.ts'
import { namesIn } from '../../git/small-files.ts'
import {
  deleteSession,
  deleteWork,
  hasActivity,
  readEndings,
  readSession,
  readSessions,
  readWork,
  type Session,
  type StoredWorkspace,
  type Work,
  writeWork,
} from '../local-state.ts'
import type { Runtime } from '../runtime.ts'
import { idOf } from '../tree-work.ts'
import { isPresent } from './checkout.ts'
import { isRefusal } from './creation.ts'
import type { HookClient } from './hook-client.ts'
import type { HookInput } from './payload.ts'
import type { Situation } from './plan.ts'

/** What the end of a session does with its work. `is_continued`: another session goes on with it at once. Null: nothing. */
export function endingOf(of: {
  is_continued: boolean
  is_unmerged: boolean
  is_declared: boolean
}): Work['ending'] {
  if (of.is_continued) return null
  if (of.is_unmerged) return 'paused'
  return of.is_declared ? null : 'archived'
}

/**
 * Ends the session `key` in all working trees of the repository, which include those of its subagents; or only the subagent
 * that the event is about, in the working tree that it has for itself. Stores what is to be sent, so that a later hook can.
 */
export async function endSessions(
  of: { tree: WorkingTree; input: HookInput; situation: Situation; env: Runtime['env'] },
  key: string,
): Promise<Session[]> {
  const { tree, input, situation, env } = of
  const ended: Session[] = []
  for (const git_directory of directoriesOf(tree)) {
    const session = readSession(git_directory, key)
    const isItsOwn = input.subagent !== null && session?.subagent === input.subagent
    if (!session || (situation.event === 'subagent-end' && !isItsOwn)) continue
    const work = readWork(git_directory, session.branch)
    const ending = endingOf({
      // With these reasons, another session goes on in the same working tree at once.
      is_continued: ['clear', 'resume'].includes(input.reason) && git_directory === tree.git_directory,
      is_unmerged: session.workspace === null || (await isUnmerged(session.workspace, env)),
      is_declared: work.is_declared,
    })
    const isEnd = hasActivity(work) && ending !== null
    if (isEnd) writeWork(git_directory, { ...work, ending })
    deleteSession(git_directory, key)
    // Another session here goes on with it. If that was killed, the next one that starts sends the end.
    const isShared = readSessions(git_directory).some(
      (each) => each.branch === session.branch && isPresent(each, situation.now),
    )
    if (isEnd && !isShared) ended.push(session)
  }
  return ended
}

/** Whether the branch is ahead of its base, or the working tree has changes. What git does not say counts as unmerged. */
async function isUnmerged(
  { branch, cwd, diff_base, remote }: StoredWorkspace,
  env: Runtime['env'],
): Promise<boolean> {
  const git = new Git(cwd, env)
  // Another branch may be checked out since.
  const ref = branch === null ? 'HEAD' : `refs/heads/${branch}`
  const [head, start, changes] = await Promise.all([
    git.output(['rev-parse', '-q', '--verify', ref]),
    diff_base === undefined ? undefined : git.mergeBase(diff_base, remote, ref),
    git.output(['status', '--porcelain', '--untracked-files=normal']),
  ])
  return changes !== '' || (diff_base !== undefined && head !== start)
}

export async function sendEndings(
  client: HookClient,
  at: { owner: string; repo: string },
  git_directory: string,
): Promise<void> {
  await Promise.all(
    readEndings(git_directory).map(async (work) => {
      try {
        const id = await idOf(client, at, work)
        if (work.ending === 'archived') await client.archiveActivity({ ...at, id })
        else await client.updateActivity({ ...at, id, input: { status: 'paused' } })
        const paused = { ...work, activity_id: id, pending: null, is_paused: true, ending: null }
        if (work.ending === 'paused') return writeWork(git_directory, paused)
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
      deleteWork(git_directory, work.branch)
    }),
  )
}

/** The key of the session's state. If the agent names no session, all of its sessions in a working tree share one state. */
export function keyOf({ session, agent }: Pick<HookInput, 'session' | 'agent'>): string {
  return session ?? `${agent.name} without an id`
}

function directoriesOf({ git_directory, common_directory }: WorkingTree): string[] {
  const linked = join(common_directory, 'worktrees')
  const others = namesIn(linked).map((name) => join(linked, name))
  return [...new Set([git_directory, common_directory, ...others])]
}
