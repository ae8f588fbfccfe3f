/** `deconflict start`: creates an activity for the branch, or continues the one that this working tree has there. */

import { DeconflictError, type RequestOf } from '../client/client.ts'
import type { OutputOf } from '../vocabulary/contract/contract.ts'
import type { IssueWorker } from '../vocabulary/contract/issue.ts'
import { issueOfBranch } from '../vocabulary/issue-reference.ts'
import { doneText, holderText, JOIN_OR_LEAVE } from '../vocabulary/issue-words.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { AGENTS } from './agents/agents.ts'
import { noFilesNote, resultLines } from './check.ts'
import {
  type CommandContext,
  type CommonOptions,
  openContext,
  type ScopeOptions,
  scopeFrom,
} from './command-context.ts'
import type { GivenScope } from './given-scope.ts'
import { branchKey, NO_STATE, readState, writeState } from './local-state.ts'
import { ownActivityIds, withoutOwnOnBase } from './own-activities.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { relativeTime } from './terminal.ts'
import { wrap } from './text-layout.ts'
import { issueWithoutTitles, overlapWithoutTitles, type TitlesOption } from './without-titles.ts'

type CreateInput = NonNullable<RequestOf<'createActivity'>['input']>

/** Fields that `start` and `update` both set. */
export interface ActivityOptions extends CommonOptions, ScopeOptions {
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

export const NAME_FILES =
  'Name them with deconflict update --paths FILE…, or run deconflict update --refresh after your first edits.'

/** Returns exit code 2 if the new activity overlaps with other work. */
export async function start(
  runtime: Runtime,
  title: string | undefined,
  options: StartOptions,
): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const { client, at, workspace, display } = context
  const { branch, own_branch, base_branch, git_directory } = workspace
  const name = title ?? titleFrom(own_branch)
  const given = await scopeFrom(workspace, options)
  const input = {
    title: name,
    summary: options.summary ?? name,
    actor: options.actor ?? workspace.person ?? runtime.env.USER ?? 'unknown',
    agent: options.agent ?? agentIn(runtime.env),
    branch: own_branch,
    base_branch,
    issue: issueIn(options, own_branch),
    ...given,
    ...commonFields(options),
    // The service validates the values.
  } as CreateInput
  const { activity_id: earlier } = git_directory ? readState(git_directory, branchKey(branch)) : NO_STATE
  const named = title === undefined ? {} : { title, summary: input.summary }
  const changes = { ...named, ...commonFields(options), issue: input.issue, base_branch } as object
  const continued = earlier === null ? null : await continueActivity(context, earlier, { changes, given })
  const { activity, overlap: found, issue } = continued ?? (await client.createActivity({ ...at, input }))
  const existing = existingIds(found, activity.id)
  const others = withoutOwnOnBase(workspace, found)
  const own_ids = ownActivityIds(workspace).add(activity.id)
  const overlap = options.titles === false ? overlapWithoutTitles(others, runtime.cwd) : others
  if (git_directory !== null)
    writeState(git_directory, branchKey(branch), {
      ...NO_STATE,
      activity_id: activity.id,
      branch,
      issue: activity.issue,
    })
  const wrapped = (text: string) => wrap(text, { width: display.width, indent: '  ' })
  const note = given === undefined ? noFilesNote(workspace, overlap, NAME_FILES) : undefined
  const issueText = issueLine(issue, {
    isOwn: ({ activity_id, branch: held_on }) =>
      own_ids.has(activity_id) || (own_branch !== null && held_on === own_branch),
    without_titles: options.titles === false,
  })
  const shown = { activity, overlap, issue: options.titles === false ? issueWithoutTitles(issue) : issue }
  context.show(shown, () => [
    ...wrapped(
      `${continued ? 'Continued' : 'Started'} “${sanitize(activity.title)}”${own_branch === null ? '' : ` on ${sanitize(own_branch)}`}`,
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

/** The answer to a create, for an activity that goes on with these changes; null if it has ended. */
async function continueActivity(
  { client, at, workspace: { own_branch: branch, base_branch } }: CommandContext,
  id: string,
  { changes, given }: { changes: RequestOf<'updateActivity'>['input']; given: GivenScope | undefined },
): Promise<OutputOf<'createActivity'> | null> {
  try {
    await client.updateActivity({ ...at, id, input: { ...changes, ...given, heartbeat: true } })
  } catch (error) {
    const hasEnded =
      error instanceof DeconflictError && ['not_found', 'invalid_transition'].includes(error.type)
    if (hasEnded) return null
    throw error
  }
  const {
    issue,
    overlap: _,
    drift: __,
    pr_reminder_due: ___,
    ...activity
  } = await client.getActivity({
    ...at,
    id,
  })
  const overlap = await client.checkOverlap({ ...at, input: { branch, base_branch, ...given } })
  return { activity: { ...activity, issue: issue?.number ?? null }, overlap, issue }
}

/** Other activities of the branch. */
function existingIds({ relationships }: OutputOf<'createActivity'>['overlap'], own_id: string): string[] {
  return Object.entries(relationships).flatMap(([id, label]) =>
    label === 'own' && id !== own_id ? [id] : [],
  )
}

/** `fix/retry-payments` becomes “Fix retry payments”. */
function titleFrom(branch: string | null): string {
  const words = branch?.replaceAll(/[/_-]+/g, ' ').trim()
  if (!words)
    throw new CliError('there is no branch to take the title from; pass a title: deconflict start "TITLE"')
  return capitalized(words)
}

function capitalized(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`
}

/** The agent that runs this command, if its environment names one. */
function agentIn(env: Runtime['env']): string | null {
  return env.DECONFLICT_AGENT || (AGENTS.find(({ variable }) => variable && env[variable])?.name ?? null)
}

export function commonFields({ risk, pr: pr_url, draft: draft_pr, blocking }: ActivityOptions) {
  return { risk, pr_url, draft_pr, blocking }
}
