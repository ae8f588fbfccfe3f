/** `deconflict check`: whether the user's work overlaps with other work. */
import { DeconflictError } from '../client/client.ts'
import type { OverlapResult as Overlap } from '../vocabulary/contract/overlap.ts'
import { sanitize } from '../vocabulary/text.ts'
import { agentIn } from './agents/agents.ts'
import { type CommonOptions, openContext, type ScopeOptions, scopeFrom } from './command-context.ts'
import { reportFailure } from './failure.ts'
import { fetchPullRequests } from './fetch.ts'
import { editedByOthers } from './hook/checkout.ts'
import { SERVICE_AWAY } from './local-mode.ts'
import { readSessions } from './local-state.ts'
import { overlapLines } from './overlap-text.ts'
import { EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { type Display, wrap } from './terminal.ts'
import { ownIdIn } from './tree-work.ts'
import { overlapWithoutTitles, type TitlesOption } from './without-titles.ts'
import type { Workspace } from './workspace.ts'

export interface CheckOptions extends CommonOptions, ScopeOptions, TitlesOption {
  tag?: string[]
  block?: boolean
  fetch?: boolean
}

/** When requests of a check before a push end, counted from the start of the process, and the time that they have at least. */
const PUSH_MS = 2400
const PUSH_MIN_MS = 500
/** Git leaves time for a request. */
const GIT_SHARE = 0.7

/** Returns the exit code: 2 if there is an overlap. With `staged`, as before a push, it is 0 unless `block` is set. */
export async function check(runtime: Runtime, options: CheckOptions): Promise<ExitCode> {
  const isAdvisory = options.staged === true && options.block !== true
  try {
    if (options.fetch) await fetchPullRequests(runtime, options)
    const { context, given, answer } = await ask(runtime, options).catch((error: unknown) => {
      if (!isAway(error)) throw error
      return ask(runtime, { ...options, local: true }, SERVICE_AWAY)
    })
    const { workspace, display } = context
    const overlap = options.titles === false ? overlapWithoutTitles(answer, workspace) : answer
    const hasScope = given !== undefined || options.tag !== undefined
    const advice = 'Use --paths to name the files that you intend to change.'
    const note = hasScope ? undefined : noFilesNote(workspace, overlap, advice)
    const agent = options.staged ? agentIn(runtime.env) : null
    const files = given?.scope.changes?.map(({ path }) => path) ?? []
    const sessions = agent && workspace.tree ? readSessions(workspace.tree.git_directory) : []
    for (const line of editedByOthers(files, sessions, agent)) runtime.stderr.write(`deconflict: ${line}\n`)
    context.show(overlap, () => resultLines(overlap, { note, display }))
    return overlap.overlap_detected && !isAdvisory ? EXIT.overlap : EXIT.clear
  } catch (error) {
    if (!isAdvisory) throw error
    reportFailure(runtime, error, { json: options.json, consequence: 'not checked: ' })
    return EXIT.clear
  }
}

async function ask(runtime: Runtime, options: CheckOptions, others_unknown?: string) {
  const limits = options.staged ? { attempts: 1, budget_ms: leftForPush(runtime) } : {}
  const context = await openContext(runtime, options, { ...limits, others_unknown })
  const { client, at, workspace } = context
  const git_ms = options.staged ? leftForPush(runtime) * GIT_SHARE : undefined
  const given = await scopeFrom(workspace, options, git_ms)
  const { own_branch: branch, base_branch } = workspace
  // On other branches, its own work is known by the branch.
  const activity_id = branch === null ? ownIdIn(workspace) : null
  const input = { ...given, branch, base_branch, activity_id, tags: options.tag ?? [] }
  return { context, given, answer: await client.checkOverlap({ ...at, input }) }
}

/** Whether the service did not answer, or GitHub did not answer it. */
function isAway(error: unknown): boolean {
  return (
    error instanceof DeconflictError &&
    ['unreachable', 'timed_out', 'service_unavailable'].includes(error.type)
  )
}

function leftForPush({ uptime_ms }: Runtime): number {
  return Math.max(PUSH_MIN_MS, PUSH_MS - uptime_ms())
}

/** A note that git has no changed files. The service then compares what the activities of the branch declare. */
export function noFilesNote({ own_branch, diff_base }: Workspace, overlap: Overlap, advice: string): string {
  const why = diff_base ? `nothing differs from ${sanitize(diff_base)} yet` : 'nothing has changed yet'
  return own_branch !== null && overlap.checked_against.activities > 0
    ? `Compared the declared files of ${sanitize(own_branch)}, because ${why}.`
    : `No files were compared: ${why}. ${advice}`
}

/** The lines of the result. After a note that no files changed, the overlap is shown only if anything was compared. */
export function resultLines(
  overlap: Overlap,
  { note, display }: { note: string | undefined; display: Display },
): string[] {
  if (note === undefined) return overlapLines(overlap, display)
  const hasCompared = overlap.overlap_detected || overlap.checked_against.activities > 0
  return [
    ...wrap(note, { width: display.width, indent: '' }),
    ...(hasCompared ? overlapLines(overlap, display) : []),
  ]
}
