/** `deconflict check`: whether the user's work overlaps with other work. */
import type { OutputOf } from '../../operations/contract.ts'
import {
  type CommandContext,
  type CommonOptions,
  openContext,
  type ScopeOptions,
  scopeFrom,
} from './command-context.ts'
import { type Names, namesById, overlapLines } from './overlap-text.ts'
import { withoutOwnOnBase } from './own-activities.ts'
import { EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { type Display, sanitize } from './terminal.ts'
import { wrap } from './text-layout.ts'
import type { Workspace } from './workspace.ts'

type Overlap = OutputOf<'checkOverlap'>

export interface CheckOptions extends CommonOptions, ScopeOptions {
  tag?: string[]
  block?: boolean
}

/** Time for all requests of a check before a push, counted from the start of the process, but at least the minimum. */
const PUSH_BUDGET_MS = 2400
const PUSH_BUDGET_MIN_MS = 500

/** Answers the exit code. With `staged`, as before a push, it is 0 unless `block` is set. */
export async function check(runtime: Runtime, options: CheckOptions): Promise<ExitCode> {
  const isAdvisory = options.staged === true && options.block !== true
  try {
    const context = await openContext(runtime, options, options.staged ? pushLimits(runtime) : {})
    const { client, at, workspace, display } = context
    const scope = await scopeFrom(workspace, options)
    const { own_branch: branch, base_branch } = workspace
    const answer = await client.checkOverlap({
      ...at,
      input: { scope, branch, base_branch, tags: options.tag ?? [] },
    })
    const overlap = await withoutOwnOnBase(workspace, answer)
    const names = options.json ? new Map() : await readNames(context, overlap)
    const note = noPathsNote(workspace, overlap, options)
    context.show(overlap, () => resultLines({ overlap, names, scope }, { note, display }))
    return overlap.overlap_detected && !isAdvisory ? EXIT.overlap : EXIT.clear
  } catch (error) {
    if (!isAdvisory) throw error
    runtime.stderr.write(`deconflict: not checked: ${(error as Error).message}\n`)
    return EXIT.clear
  }
}

const NAME_PATHS = 'Use --paths to name the files that you intend to change.'

function pushLimits({ uptime_ms }: Runtime) {
  return { attempts: 1, budget_ms: Math.max(PUSH_BUDGET_MIN_MS, PUSH_BUDGET_MS - uptime_ms()) }
}

/** Without a scope and tags, the service compares the activities of the branch. */
function noPathsNote(workspace: Workspace, overlap: Overlap, { tag = [] }: CheckOptions): string {
  const { own_branch } = workspace
  const hasComparedBranch = own_branch !== null && tag.length === 0 && overlap.checked_against.activities > 0
  return hasComparedBranch
    ? `Compared the activities of ${sanitize(own_branch)}: ${whyNoPaths(workspace)}.`
    : `${nothingCompared(workspace)} ${NAME_PATHS}`
}

/** Says that no files were compared, because git names none. */
export function nothingCompared(workspace: Workspace): string {
  return `No files were compared: ${whyNoPaths(workspace)}.`
}

function whyNoPaths({ diff_base }: Workspace): string {
  return diff_base ? `nothing differs from ${sanitize(diff_base)} yet` : 'nothing has changed yet'
}

/** The overlap; without a scope after `note`, and only if anything was compared. */
export function resultLines(
  { overlap, names, scope }: { overlap: Overlap; names: Names; scope: object | undefined },
  { note, display }: { note: string; display: Display },
): string[] {
  if (scope !== undefined) return overlapLines(overlap, names, display)
  const hasCompared = overlap.overlap_detected || overlap.checked_against.activities > 0
  return [
    ...wrap(note, { width: display.width, indent: '' }),
    ...(hasCompared ? overlapLines(overlap, names, display) : []),
  ]
}

/** Names for the ids in `overlap`, from the newest records. Ids without a name are shown as they are. */
export async function readNames(
  { client, at }: CommandContext,
  { overlap_detected }: Overlap,
): Promise<Names> {
  if (!overlap_detected) return new Map()
  const input = { limit: 100 }
  const [activities, notables] = await Promise.all([
    client.listActivities({ ...at, input }).then(
      ({ items }) => items,
      () => [],
    ),
    client.listNotables({ ...at, input }).then(
      ({ items }) => items,
      () => [],
    ),
  ])
  return namesById(activities, notables)
}
