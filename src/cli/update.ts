/** `deconflict update`, `heartbeat` and `done`: changes an activity, keeps it alive, and ends it. */

import type { RequestOf } from '../client/client.ts'
import type { OutputOf } from '../vocabulary/contract/contract.ts'
import { isNotableId } from '../vocabulary/names.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { count } from '../vocabulary/text.ts'
import { activityIdFor, type CommonOptions, openContext, scopeFrom } from './command-context.ts'
import { deleteWork } from './local-state.ts'
import { endNotable } from './note.ts'
import { overlapBriefLines } from './overlap-text.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { type ActivityOptions, commonFields, NAME_FILES } from './start.ts'
import { type Display, relativeTime } from './terminal.ts'
import { wrap } from './text-layout.ts'
import { briefWithoutTitles, type TitlesOption } from './without-titles.ts'

type UpdateInput = NonNullable<RequestOf<'updateActivity'>['input']>

interface UpdateOptions extends ActivityOptions, TitlesOption {
  title?: string
  status?: string
}

/** Returns exit code 2 if the activity overlaps with other work after the change. */
export async function update(
  runtime: Runtime,
  id: string | undefined,
  options: UpdateOptions,
): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const { client, at, workspace, display } = context
  const hasScope = options.refresh === true || options.paths !== undefined || options.area !== undefined
  const input = {
    title: options.title,
    summary: options.summary,
    status: options.status,
    ...commonFields(options),
    // Without an id, --branch selects the activity; with one, it is a field to change.
    branch: id === undefined ? undefined : options.branch,
    base_branch: options.base,
    ...(hasScope && ((await scopeFrom(workspace, options)) ?? { scope: {} })),
    // The service validates the values.
  } as UpdateInput
  if (Object.values(input).every((value) => value === undefined))
    throw new CliError('nothing to update; see deconflict update --help, for example --refresh or --status')
  const answer = await client.updateActivity({ ...at, id: await activityIdFor(context, id), input })
  const overlap = options.titles === false ? briefWithoutTitles(answer.overlap, runtime.cwd) : answer.overlap
  context.show({ ...answer, overlap }, () => [
    ...wrap(
      `Updated “${sanitize(answer.title)}”: ${answer.status}, ${answer.risk} risk, ${describeSize(answer.scope)} (${answer.id})`,
      { width: display.width, indent: '  ' },
    ),
    ...(overlap?.overlap_detected === false ? clearLines(answer, display) : []),
    ...overlapBriefLines(overlap, display),
  ])
  return overlap?.overlap_detected ? EXIT.overlap : EXIT.clear
}

type Scope = OutputOf<'updateActivity'>['scope']

/** The size of a scope as text, such as `2 paths, 1 changed file`. */
function describeSize({ paths, changes }: Scope): string {
  const parts = [
    paths.length === 0 && changes.length > 0 ? '' : count(paths.length, 'path', 'paths'),
    changes.length === 0 ? '' : count(changes.length, 'changed file', 'changed files'),
  ]
  return parts.filter(Boolean).join(', ')
}

function clearLines({ scope }: OutputOf<'updateActivity'>, { paint, width }: Display): string[] {
  return [scope.paths, scope.areas, scope.changes].some((each) => each.length > 0)
    ? [`${paint('green', 'Clear')}: no overlap`]
    : wrap(`No files were compared, because the activity has none. ${NAME_FILES}`, { width, indent: '' })
}

/** Returns exit code 2 if the activity overlaps with other work now. */
export async function heartbeat(
  runtime: Runtime,
  id: string | undefined,
  options: CommonOptions & TitlesOption,
): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const { client, at, display } = context
  const answer = await client.heartbeatActivity({ ...at, id: await activityIdFor(context, id) })
  const overlap = options.titles === false ? briefWithoutTitles(answer.overlap, runtime.cwd) : answer.overlap
  context.show({ ...answer, overlap }, () => [
    `Heartbeat sent; expires ${relativeTime(answer.expires_at, display.now)} (${answer.id})`,
    ...overlapBriefLines(overlap, display),
  ])
  return overlap?.overlap_detected ? EXIT.overlap : EXIT.clear
}

interface DoneOptions extends CommonOptions {
  merged?: boolean
  abandoned?: boolean
}

/** Archives the activity, or sets its status to merged or abandoned. */
export async function done(
  runtime: Runtime,
  id: string | undefined,
  options: DoneOptions,
): Promise<ExitCode> {
  if (options.merged && options.abandoned) throw new CliError('pass --merged or --abandoned, not both')
  const context = await openContext(runtime, options)
  const { client, at, workspace } = context
  if (id !== undefined && isNotableId(id)) return endNotable(context, id)
  const request = { ...at, id: await activityIdFor(context, id) }
  const status = options.merged ? 'merged' : options.abandoned ? 'abandoned' : undefined
  const answer = status
    ? await client.updateActivity({ ...request, input: { status } })
    : await client.archiveActivity(request)
  if (workspace.git_directory !== null) deleteWork(workspace.git_directory, workspace.branch, answer.id)
  context.show(answer, () => [`Done: ${answer.id} is ${answer.status}`])
  return EXIT.clear
}
