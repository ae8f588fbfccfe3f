/** Which mode a command runs in: with a service, or in one clone without any (docs/contract/local.md). Loads no schema. */
import { realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Client } from '../client/client.ts'
import { readBranch, type WorkingTree } from '../git/git-directory.ts'
import { CONTENT_MAX, textOf } from '../git/small-files.ts'
import { stopwatch } from '../vocabulary/clock.ts'
import type { Runtime } from './runtime.ts'
import { readUrl, type ServerOptions } from './service-connection.ts'
import type { Workspace } from './workspace.ts'

/** The time for what is not in the cache. */
const TIME_MS = 10_000

export const NO_SERVICE = 'other machines: no service is configured'
export const NO_REMOTE = 'this repository has no remote on GitHub; name it with --repo OWNER/NAME'
export const SERVICE_AWAY = 'other machines: the service did not answer; compared within this clone only'

/** No address of a service is configured, or `--local` is given. Then nothing leaves this machine. */
export function isLocal({ env }: Pick<Runtime, 'env'>, options: ServerOptions): boolean {
  return options.local === true || readUrl(env, options) === undefined
}

/** The client over the clone of a workspace, which has a working tree. `others_unknown`: why other machines are not known. */
export async function openLocal(
  { clock, startFast }: Pick<Runtime, 'clock' | 'startFast'>,
  workspace: Workspace,
  { left_ms, others_unknown = NO_SERVICE }: { left_ms?: () => number; others_unknown?: string } = {},
): Promise<Client> {
  startFast()
  const elapsed = stopwatch()
  const tree = workspace.tree as WorkingTree
  const { localClient, RecordFiles, DiffCache, readGitAttributes, readSettings } = await import(
    '../local/local-client.ts'
  )
  const root = realpathSync(tree.root)
  const textIn = (path: string) => textOf(join(root, path), CONTENT_MAX)
  const files = new RecordFiles(tree.common_directory)
  const { git, diff_base: base, remote, person, owner, repo, host, page } = workspace
  const web_url = `https://${host}/${owner}/${repo}`
  return localClient({
    ...{ git, root, base, remote, person, files, others_unknown, web_url, clock },
    left_ms: left_ms ?? (() => Math.max(0, TIME_MS - elapsed())),
    ...(await readSettings(textIn)),
    cache: new DiffCache(files),
    noise_attributes: readGitAttributes(textIn('.gitattributes')),
    is_shallow: textOf(join(tree.common_directory, 'shallow')) !== '',
    hasher: () => files.key().hasher,
    checkedOut: () => readBranch(tree.git_directory) ?? null,
    shownTree: (other) => relative(root, other) || null,
    pullRequestUrl: (path) => (page === null ? null : `${page}/${path}`),
  })
}
