/** The context of every command: the workspace, a client, and the output. */
import { type Client, createClient } from '../client/client.ts'
import { withoutNewcomers } from '../client/newcomers.ts'
import {
  type ChangedFiles,
  type GivenScope,
  readChangedFiles,
  withChanges,
} from '../git/working-tree-files.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { escapedJson } from '../vocabulary/text.ts'
import { isLocal, NO_REMOTE, NO_SERVICE, openLocal } from './local-mode.ts'
import { CliError, type Runtime } from './runtime.ts'
import { findConnection, type Limits, type ServerOptions } from './service-connection.ts'
import { type Display, painter } from './terminal.ts'
import { ownIdIn } from './tree-work.ts'
import { findWorkspace, resolvePaths, type Workspace, type WorkspaceOptions } from './workspace.ts'

/** Options that every command accepts. */
export interface CommonOptions extends WorkspaceOptions, ServerOptions {
  json?: boolean
}

export interface ScopeOptions {
  paths?: string[]
  area?: string[]
  staged?: boolean
  /** Adds the changed files of git to `paths`. */
  refresh?: boolean
}

export interface CommandContext {
  workspace: Workspace
  client: Client
  /** The repository of every request. */
  at: { owner: string; repo: string }
  display: Display
  /** Prints `answer` as JSON with `--json`, else the lines. */
  show(answer: unknown, lines: () => string[]): void
}

/** Opens the context of a command. Throws `CliError` if there is no repository, server or token. */
export async function openContext(
  runtime: Runtime,
  options: CommonOptions,
  { others_unknown = NO_SERVICE, ...limits }: Limits & { others_unknown?: string } = {},
): Promise<CommandContext> {
  const is_local = isLocal(runtime, options)
  const workspace = await findWorkspace(runtime, { ...options, is_local })
  const { url, insecure } = options
  const client =
    is_local || workspace.is_unknown
      ? await openLocal(runtime, workspace, {
          others_unknown: is_local ? others_unknown : `other machines: ${NO_REMOTE}`,
        })
      : createClient(await findConnection(runtime, workspace, { url, insecure, ...limits }))
  return {
    workspace,
    client: withoutNewcomers(client),
    at: { owner: workspace.owner, repo: workspace.repo },
    display: displayOf(runtime),
    show: (answer, lines) =>
      void runtime.stdout.write(`${options.json ? escapedJson(answer, 2) : lines().join('\n')}\n`),
  }
}

/** Columns of a line if the output is not a terminal. */
const DEFAULT_WIDTH = 100

/** The display at this moment: a terminal can be resized while a command runs. */
export function displayOf({ stdout, env, clock }: Runtime): Display {
  const width = (stdout.isTTY && stdout.columns) || Number(env.COLUMNS) || DEFAULT_WIDTH
  return { paint: painter(stdout, env), now: clock(), width }
}

/**
 * The scope from the options. The changed files of git are its changes, unless `paths` replaces them. Undefined if it
 * would be empty.
 */
export async function scopeFrom(
  workspace: Workspace,
  { paths, area = [], staged = false, refresh = false }: ScopeOptions,
  timeout_ms?: number,
): Promise<GivenScope | undefined> {
  const { tree, is_elsewhere } = workspace
  const isFromGit = tree !== null && !is_elsewhere && (paths === undefined || refresh)
  const how = { staged_only: staged, timeout_ms }
  const changed = isFromGit ? await changedFilesOf(workspace, how, ', or name files with --paths') : undefined
  const given = withChanges({ areas: area, paths: await resolvePaths(workspace, paths ?? []) }, changed)
  const { scope } = given
  return scope.areas.length + scope.paths.length + (scope.changes?.length ?? 0) > 0 ? given : undefined
}

/** The changed files of the working tree. Throws `CliError` if git does not list all of them. `instead`: what the command can do without. */
export async function changedFilesOf(
  { git, diff_base, remote }: Workspace,
  options: { staged_only?: boolean; timeout_ms?: number | undefined } = {},
  instead = '',
): Promise<ChangedFiles> {
  const changed = await readChangedFiles(git, { base: diff_base, remote, ...options })
  if (changed === undefined)
    throw new CliError(`git did not list the changed files; run git status${instead}`)
  if (changed.is_cut_off)
    throw new CliError(
      `this shallow clone does not have the commit where HEAD left ${diff_base}; run git fetch --unshallow${instead}`,
    )
  return changed
}

/** `given`, else the activity started in this working tree on its branch, else the only live one of the branch. */
export async function activityIdFor(context: CommandContext, given: string | undefined): Promise<string> {
  if (given !== undefined) return given
  const { workspace, client, at } = context
  const { branch, own_branch } = workspace
  const started = ownIdIn(workspace)
  if (started) return started
  if (branch === null) throw new CliError('no branch is checked out; pass the id of the activity (act_…)')
  // Activities that others created on the base branch must not be changed from here.
  const { items } = own_branch
    ? await client.listActivities({ ...at, input: { branch: own_branch, limit: 100 } })
    : { items: [] }
  const ids = items.filter(({ status }) => isLive(status)).map(({ id }) => id)
  const [only] = ids
  if (only && ids.length === 1) return only
  throw new CliError(
    only
      ? `${branch} has ${ids.length} activities; pass one of their ids: ${ids.join(', ')}`
      : `${branch} has no activity; create one with deconflict start`,
  )
}
