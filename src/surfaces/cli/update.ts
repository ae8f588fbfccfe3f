/** `deconflict start`, `update`, `heartbeat` and `done`: one's own work, from its announcement to its end. */
import type { RequestOf } from '../../client/client.ts'
import type { OutputOf } from '../../operations/contract.ts'
import { isUnscoped, namesOf, nothingTouched } from './check.ts'
import { count, overlapLines, overlapNowLines } from './overlap-text.ts'
import { announcedHere, briefWithoutOwn, withoutOwn } from './own.ts'
import {
  activityIdOf,
  type CommonOptions,
  openSession,
  type ScopeOptions,
  type Session,
  scopeOf,
} from './session.ts'
import { branchKey, forget, NOTHING, remember } from './state.ts'
import { plain, relative } from './terminal.ts'
import { CliError, EXIT, type ExitCode, type World } from './world.ts'

type Created = NonNullable<RequestOf<'createActivity'>['input']>
type Changes = NonNullable<RequestOf<'updateActivity'>['input']>

export interface WorkOptions extends CommonOptions, ScopeOptions {
  title?: string
  summary?: string
  actor?: string
  agent?: string
  risk?: string
  status?: string
  pr?: string
  draft?: boolean
  blocking?: boolean
  refresh?: boolean
  merged?: boolean
  abandoned?: boolean
}

/** Announces the work of the branch. Exit code 2 where it overlaps. */
export async function start(
  world: World,
  title: string | undefined,
  options: WorkOptions,
): Promise<ExitCode> {
  const session = await openSession(world, options)
  const { client, at, place } = session
  const { branch, own_branch, base_branch, git, git_directory } = place
  const name = title ?? titleOf(own_branch)
  const scope = await scopeOf(place, options)
  const input = {
    title: name,
    summary: options.summary ?? name,
    actor: options.actor ?? (await git.config('user.name')) ?? world.env.USER ?? 'unknown',
    agent: options.agent ?? agentIn(world.env),
    branch: own_branch,
    base_branch,
    scope,
    // The service says which values there are.
    ...defined({
      risk: options.risk,
      pr_url: options.pr,
      draft_pr: options.draft,
      blocking: options.blocking,
    }),
  } as Created
  const own = await announcedHere(place)
  const created = await client.createActivity({ ...at, input })
  const overlap = own_branch === null ? withoutOwn(created.overlap, own) : created.overlap
  const answer = { ...created, overlap }
  const { id, expires_at } = answer.activity
  if (git_directory !== null)
    await remember(git_directory, branchKey(branch), { ...NOTHING, activity_id: id, branch })
  const names = options.json ? new Map() : await namesOf(session, answer.overlap)
  session.show(answer, () => [
    `Announced “${plain(name)}”${own_branch === null ? '' : ` on ${plain(own_branch)}`}: ${id}, expires ${relative(expires_at, session.look.now)}`,
    ...twice(answer),
    ...(scope === undefined ? [`${nothingTouched(place)} ${NAME_FILES}`] : []),
    ...(isUnscoped(answer.overlap, scope) ? [] : overlapLines(answer.overlap, names, session.look)),
  ])
  return answer.overlap.overlap_detected ? EXIT.overlap : EXIT.clear
}

const NAME_FILES =
  'Name them with deconflict update --paths FILE…, or run deconflict update --refresh after your first edits.'

/** That the branch has work already: whoever starts twice ends only one of them. */
function twice({ overlap }: OutputOf<'createActivity'>): string[] {
  const ids = Object.entries(overlap.relationships).flatMap(([id, label]) => (label === 'own' ? [id] : []))
  if (ids.length === 0) return []
  return [`The branch has ${ids.join(', ')} too; deconflict done ID ends what is over.`]
}

/** `fix/retry-payments` reads as “Fix retry payments”. */
function titleOf(branch: string | null): string {
  const words = branch?.replaceAll(/[/_-]+/g, ' ').trim()
  if (!words)
    throw new CliError('no branch of its own is checked out; give the work a title: deconflict start "…"')
  return `${words[0]?.toUpperCase()}${words.slice(1)}`
}

/** The agent that runs this command, where it says so. */
function agentIn(env: World['env']): string | null {
  return env.DECONFLICT_AGENT || (env.CLAUDECODE ? 'claude-code' : null)
}

function defined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>
}

/** Exit code 2 where it overlaps after the change. */
export async function update(world: World, id: string | undefined, options: WorkOptions): Promise<ExitCode> {
  const session = await openSession(world, options)
  const hasScope = options.refresh === true || options.paths !== undefined || options.area !== undefined
  const input = defined({
    title: options.title,
    summary: options.summary,
    risk: options.risk,
    status: options.status,
    pr_url: options.pr,
    draft_pr: options.draft,
    blocking: options.blocking,
    // The branch finds the activity too; it is changed where both are given.
    branch: id === undefined ? undefined : options.branch,
    base_branch: options.base,
    scope: hasScope ? ((await scopeOf(session.place, options)) ?? {}) : undefined,
  }) as Changes
  if (Object.keys(input).length === 0)
    throw new CliError('nothing to change; see deconflict update --help, such as --refresh or --status')
  const answer = await session.client.updateActivity({
    ...session.at,
    id: await activityIdOf(session, id),
    input,
  })
  const overlap = await othersIn(session, answer.overlap)
  session.show({ ...answer, overlap }, () => [
    `“${plain(answer.title)}” is ${answer.status}, ${answer.risk} risk, with ${count(answer.scope.paths.length, 'path', 'paths')}: ${answer.id}`,
    ...(overlap?.overlap_detected === false ? [clearLine(answer, session)] : []),
    ...overlapNowLines(overlap, session.look),
  ])
  return overlap?.overlap_detected ? EXIT.overlap : EXIT.clear
}

type Updated = OutputOf<'updateActivity'>

function clearLine({ scope }: Updated, { look }: Session): string {
  return scope.paths.length + scope.areas.length > 0
    ? `${look.paint('green', 'Clear')}: no overlap`
    : `No files were compared: the activity names none. ${NAME_FILES}`
}

/** On the base, without what was announced from here. */
async function othersIn({ place }: Session, overlap: Updated['overlap']): Promise<Updated['overlap']> {
  if (overlap === null || place.own_branch !== null) return overlap
  return briefWithoutOwn(overlap, await announcedHere(place))
}

/** Exit code 2 where others have come to overlap. */
export async function heartbeat(
  world: World,
  id: string | undefined,
  options: WorkOptions,
): Promise<ExitCode> {
  const session = await openSession(world, options)
  const beat = await session.client.heartbeatActivity({ ...session.at, id: await activityIdOf(session, id) })
  const overlap = await othersIn(session, beat.overlap)
  session.show({ ...beat, overlap }, () => [
    `Heartbeat sent; expires ${relative(beat.expires_at, session.look.now)}: ${beat.id}`,
    ...overlapNowLines(overlap, session.look),
  ])
  return overlap?.overlap_detected ? EXIT.overlap : EXIT.clear
}

/** Ends the work: archived, unless it is said that it was merged or given up. */
export async function done(world: World, id: string | undefined, options: WorkOptions): Promise<ExitCode> {
  if (options.merged && options.abandoned) throw new CliError('--merged or --abandoned, not both')
  const session = await openSession(world, options)
  const { client, at, place } = session
  const request = { ...at, id: await activityIdOf(session, id) }
  const status = options.merged ? 'merged' : options.abandoned ? 'abandoned' : undefined
  const answer = status
    ? await client.updateActivity({ ...request, input: { status } })
    : await client.archiveActivity(request)
  if (place.git_directory !== null) await forget(place.git_directory, branchKey(place.branch))
  session.show(answer, () => [`Done, ${answer.status}: ${answer.id}`])
  return EXIT.clear
}
