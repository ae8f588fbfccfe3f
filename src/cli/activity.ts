/** `deconflict start`, `update`, `heartbeat` and `done`: creates the activity of a branch, or continues it, changes it, keeps it alive, and ends it. */
import type { RequestOf } from '../client/client.ts'
import type { OutputOf } from '../vocabulary/contract/contract.ts'
import type { IssueWorker } from '../vocabulary/contract/issue.ts'
import { doneText, holderText, issueOfBranch, JOIN_OR_LEAVE } from '../vocabulary/issue.ts'
import { isNotableId } from '../vocabulary/names.ts'
import { capitalized, count, sanitize } from '../vocabulary/text.ts'
import { agentIn } from './agents/agents.ts'
import { noFilesNote, resultLines } from './check.ts'
import {
  activityIdFor,
  type CommonOptions,
  openContext,
  type ScopeOptions,
  scopeFrom,
} from './command-context.ts'
import { deleteWork } from './local-state.ts'
import { endNotable } from './note.ts'
import { overlapBriefLines } from './overlap-text.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { relativeTime, wrap } from './terminal.ts'
import { declareWork } from './tree-work.ts'
import {
  briefWithoutTitles,
  issueWithoutTitles,
  overlapWithoutTitles,
  type TitlesOption,
} from './without-titles.ts'

type CreateInput = NonNullable<RequestOf<'createActivity'>['input']>

/** Fields that `start` and `update` both set. */
interface ActivityOptions extends CommonOptions, ScopeOptions {
  summary?: string
  risk?: string
  pr?: string
  draft?: boolean
  blocking?: boolean
}

interface StartOptions extends ActivityOptions, TitlesOption {
  actor?: string
  agent?: string
  issue?: string
}

const NAME_FILES =
  'Name them with deconflict update --paths FILE…, or run deconflict update --refresh after your first edits.'

/** Returns exit code 2 if the new activity overlaps with other work. */
export async function start(
  runtime: Runtime,
  title: string | undefined,
  options: StartOptions,
): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const { client, at, workspace, display } = context
  const { branch, own_branch, base_branch, tree } = workspace
  const name = title ?? titleFrom(own_branch)
  const given = await scopeFrom(workspace, options)
  const input = {
    title: name,
    summary: options.summary ?? name,
    actor: options.actor ?? workspace.person,
    agent: options.agent ?? agentIn(runtime.env),
    branch: own_branch,
    base_branch,
    issue: issueIn(options, own_branch),
    ...given,
    ...commonFields(options),
    // The service validates the values.
  } as CreateInput
  const answer = tree
    ? await declareWork(client, at, { tree, branch, input, is_unnamed: title === undefined })
    : { ...(await client.createActivity({ ...at, input })), is_continued: false }
  const { activity, overlap: found, issue, is_continued } = answer
  const existing = Object.entries(found.relationships).flatMap(([id, label]) =>
    label === 'own' && id !== activity.id ? [id] : [],
  )
  const overlap = options.titles === false ? overlapWithoutTitles(found, workspace) : found
  const wrapped = (text: string) => wrap(text, { width: display.width, indent: '  ' })
  const note = given === undefined ? noFilesNote(workspace, overlap, NAME_FILES) : undefined
  const issueText = issueLine(issue, {
    isOwn: ({ activity_id, branch: held_on }) =>
      activity_id === activity.id || (own_branch !== null && held_on === own_branch),
    without_titles: options.titles === false,
  })
  const shown = { activity, overlap, issue: options.titles === false ? issueWithoutTitles(issue) : issue }
  context.show(shown, () => [
    ...wrapped(
      `${is_continued ? 'Continued' : 'Started'} “${sanitize(activity.title)}”${own_branch === null ? '' : ` on ${sanitize(own_branch)}`}`,
    ),
    ...wrapped(
      `  ${activity.id}  expires ${relativeTime(activity.expires_at, display.now)} without a heartbeat`,
    ),
    ...(issueText === null ? [] : wrapped(issueText)),
    ...(existing.length > 0
      ? wrapped(
          `Already active on this branch: ${existing.join(', ')}. End finished activities with deconflict done ID.`,
        )
      : []),
    ...resultLines(overlap, { note, display }),
  ])
  return overlap.overlap_detected ? EXIT.overlap : EXIT.clear
}

/** The issue of the option, else that of the branch; undefined if there is none. */
function issueIn({ issue }: StartOptions, branch: string | null): number | undefined {
  if (issue === undefined) return issueOfBranch(branch) ?? undefined
  if (!/^#?\d+$/.test(issue)) throw new CliError(`--issue must be a number, not ${sanitize(issue)}`)
  return Number(issue.replace('#', ''))
}

/** Who holds the issue of the activity, or that it may be done; null if it has none. */
function issueLine(
  issue: OutputOf<'createActivity'>['issue'],
  options: { isOwn: (holder: IssueWorker) => boolean; without_titles: boolean },
): string | null {
  if (issue === null) return null
  const { number, holder } = issue
  const held =
    holder !== null && !options.isOwn(holder)
      ? `${holderText({ number, holder }, options)}: ${JOIN_OR_LEAVE}`
      : null
  return `${capitalized(held ?? doneText(issue) ?? `issue #${number} is yours`)}.`
}

/** `fix/retry-payments` becomes “Fix retry payments”. */
function titleFrom(branch: string | null): string {
  const words = branch?.replaceAll(/[/_-]+/g, ' ').trim()
  if (!words)
    throw new CliError('there is no branch to take the title from; pass a title: deconflict start "TITLE"')
  return capitalized(words)
}

function commonFields({ risk, pr: pr_url, draft: draft_pr, blocking }: ActivityOptions) {
  return { risk, pr_url, draft_pr, blocking }
}

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
  const overlap = options.titles === false ? briefWithoutTitles(answer.overlap, workspace) : answer.overlap
  context.show({ ...answer, overlap }, () => [
    ...wrap(
      `Updated “${sanitize(answer.title)}”: ${answer.status}, ${answer.risk} risk, ${describeSize(answer.scope)} (${answer.id})`,
      { width: display.width, indent: '  ' },
    ),
    ...(overlap?.overlap_detected === false
      ? wrap(clearText(answer), { width: display.width, indent: '' })
      : []),
    ...overlapBriefLines(overlap, display),
  ])
  return overlap?.overlap_detected ? EXIT.overlap : EXIT.clear
}

/** The size of a scope as text, such as `2 paths, 1 changed file`. */
function describeSize({ paths, changes }: OutputOf<'updateActivity'>['scope']): string {
  const files = changes.length === 0 ? '' : count(changes.length, 'changed file', 'changed files')
  const named = paths.length === 0 && files !== '' ? '' : count(paths.length, 'path', 'paths')
  return [named, files].filter(Boolean).join(', ')
}

/** What was left out of the comparison, only a check says. */
function clearText({ scope }: OutputOf<'updateActivity'>): string {
  return [scope.paths, scope.areas, scope.changes].some((each) => each.length > 0)
    ? 'No overlap was found; deconflict check says what was compared.'
    : `No files were compared, because the activity has none. ${NAME_FILES}`
}

/** Returns exit code 2 if the activity overlaps with other work now. */
export async function heartbeat(
  runtime: Runtime,
  id: string | undefined,
  options: CommonOptions & TitlesOption,
): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const { client, at, workspace, display } = context
  const answer = await client.heartbeatActivity({ ...at, id: await activityIdFor(context, id) })
  const overlap = options.titles === false ? briefWithoutTitles(answer.overlap, workspace) : answer.overlap
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
  if (workspace.tree !== null) deleteWork(workspace.tree.git_directory, workspace.branch, answer.id)
  context.show(answer, () => [`Done: ${answer.id} is ${answer.status}`])
  return EXIT.clear
}
