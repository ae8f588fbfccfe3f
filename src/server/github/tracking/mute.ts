/** Mutes a pull request, or ends that, by a comment (docs/contract/publishing.md#mute). */

import { findPullRequest, listOpen, muteByComment } from '../../records/pull-requests/store.ts'
import type { App } from '../../records/repositories/app.ts'
import { asInstallation } from '../../records/repositories/reading.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import type { Installation } from '../github-app.ts'
import { ifFound, named, type RepositoryName } from '../repository-calls.ts'
import { importAgain } from './pull-requests.ts'
import { enqueueRecheck } from './recheck.ts'

/** Whether the whole comment is the command that mutes, or the one that ends that; null for any other comment. */
export function muteIn(body: string): boolean | null {
  const [, command] = /^\s{0,9}\/deconflict (mute|unmute)\s{0,9}$/.exec(body) ?? []
  return command === undefined ? null : command === 'mute'
}

interface MuteComment {
  number: number
  is_muted: boolean
  /** The login of its writer. */
  login: string
  /** The writer opened the pull request. */
  is_author: boolean
  created_at: Date
}

/** Has no effect if the writer is neither the author nor somebody who may triage. At most one call, and those of an import, if the pull request did not arrive yet. */
export async function muteCommented(
  app: App,
  ctx: RepoContext,
  { number, is_muted, login, is_author, created_at: at }: MuteComment,
): Promise<void> {
  const { db, repo } = ctx
  const isAllowed =
    is_author || (await asInstallation(app, ctx, (client, named) => mayTriage(client, named.repo, login)))
  if (!isAllowed) return
  if (!(await findPullRequest(db, repo.id, number))) await importAgain(app, ctx, number)
  await muteByComment(db, repo.id, { number, is_muted, at })
  await enqueueRecheck(ctx, await listOpen(db, repo.id, { numbers: [number] }), 'live')
}

const TRIAGING: ReadonlySet<string> = new Set(['admin', 'maintain', 'write', 'triage'])

/** Whether the account may triage, as GitHub tells the App. One call. */
async function mayTriage(client: Installation, repo: RepositoryName, username: string): Promise<boolean> {
  const asked = { ...named(repo), username }
  const { data } = (await ifFound(client.rest.repos.getCollaboratorPermissionLevel(asked))) ?? {}
  return data !== undefined && (TRIAGING.has(data.role_name) || TRIAGING.has(data.permission))
}
