/** `deconflict fetch`: reads the open pull requests from the remote, with the credentials of git, so that a clone can compare them. */
import { join } from 'node:path'
import { RemoteError } from '../git/git.ts'
import type { WorkingTree } from '../git/git-directory.ts'
import { fetchPulls } from '../local/pull-requests.ts'
import { count, inQuotes } from '../vocabulary/text.ts'
import type { CommonOptions } from './command-context.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { findWorkspace } from './workspace.ts'

export async function fetch(runtime: Runtime, options: CommonOptions): Promise<ExitCode> {
  const { remote, ...counts } = await fetchPullRequests(runtime, options)
  const closed = counts.closed > 0 ? `; removed ${counts.closed} that are closed` : ''
  const older = counts.left_out > 0 ? `; left out ${counts.left_out} that are older` : ''
  const text = `${count(counts.open, 'open pull request', 'open pull requests')} of ${remote}${older}${closed}`
  runtime.stdout.write(`${options.json ? JSON.stringify(counts, null, 2) : text}\n`)
  return EXIT.clear
}

/** Throws `CliError` if there is no remote, or if it cannot be reached. */
export async function fetchPullRequests(runtime: Runtime, options: CommonOptions) {
  const { git, remote, diff_base: base, tree } = await findWorkspace(runtime, { ...options, is_local: true })
  if (remote === undefined) throw new CliError('this clone has no remote to fetch pull requests from')
  try {
    const directory = join((tree as WorkingTree).common_directory, 'deconflict')
    return { remote, ...(await fetchPulls({ git, remote, base, directory })) }
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    throw new CliError(
      `pull requests were not fetched from ${remote}: ${inQuotes(error.message)}; check that git fetch works`,
    )
  }
}
