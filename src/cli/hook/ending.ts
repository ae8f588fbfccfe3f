/** The end of a session or a subagent: what becomes of its work in all working trees of the repository. */
import { join } from 'node:path'
import { Git } from '../../git/git.ts'
import { readBranch, type WorkingTree } from '../../git/git-directory.ts'
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
import type { SessionContext } from './places.ts'
import type { Situation } from './plan.ts'

type EndingsOf = { tree: WorkingTree; situation: Situation }

/** What the end of a session does with its work. `is_continued`: another session goes on with it at once. Null: nothing. */
export function endingOf(
  of: Record<'is_continued' | 'is_unmerged' | 'is_declared', boolean>,
): Work['ending'] {
  if (of.is_continued) return null
  if (of.is_unmerged) return 'paused'
  return of.is_declared ? null : 'archived'
}

/**
 * Ends the session `key` in all working trees of the repository, which include those of its subagents; or only the subagent
 * that the event is about, in the working tree that it has for itself. Stores what is to be sent, so that a later hook can.
 */
export async function endSessions(
  { tree, input, situation, env }: EndingsOf & { input: HookInput; env: Runtime['env'] },
  key: string,
): Promise<Session[]> {
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
    if (hasActivity(work) && ending !== null) {
      writeWork(git_directory, { ...work, ending })
      ended.push(session)
    }
    deleteSession(git_directory, key)
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

/** The ends to send: not of work with which another session goes on. If that was killed, one that starts later sends the end. */
export function endingsIn({ tree, situation: { now } }: EndingsOf): Work[] {
  const endings = readEndings(tree.git_directory)
  const shared = (endings.length === 0 ? [] : directoriesOf(tree)).flatMap((directory) => {
    const isHere = ({ branch }: Session) => [undefined, branch].includes(readBranch(directory))
    const present = readSessions(directory).filter((each) => isPresent(each, now) && isHere(each))
    return present.map(({ branch }) => branch ?? directory)
  })
  return endings.filter(({ branch }) => !shared.includes(branch ?? tree.git_directory))
}

export async function sendEndings(client: HookClient, at: SessionContext['at'], of: EndingsOf) {
  const { git_directory } = of.tree
  await Promise.all(
    endingsIn(of).map(async (work) => {
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
