/** What every command begins with: where it is, whom it asks, and how it answers. */
import { isLive } from '../../activities/lifecycle.ts'
import type { Client, ClientOptions } from '../../client/client.ts'
import { connect, type ServerOptions } from './account.ts'
import { pathsOf } from './paths.ts'
import { findPlace, type Place, type PlaceOptions } from './place.ts'
import { branchKey, recall } from './state.ts'
import { type Look, painter, printable } from './terminal.ts'
import { CliError, type World } from './world.ts'

/** Options that every command takes. */
export interface CommonOptions extends PlaceOptions, ServerOptions {
  json?: boolean
}

export interface ScopeOptions {
  paths?: string[]
  area?: string[]
  staged?: boolean
}

export interface Session {
  world: World
  place: Place
  client: Client
  /** For every call: `{owner, repo}`. */
  at: { owner: string; repo: string }
  look: Look
  /** Writes the answer as JSON where that is asked for, else lines for people. */
  show(answer: unknown, lines: () => string[]): void
}

/** Throws `CliError` where no repository or no server is to be found. `limits` are those of the client. */
export async function openSession(
  world: World,
  options: CommonOptions,
  limits: Pick<ClientOptions, 'attempts' | 'budget_ms'> = {},
): Promise<Session> {
  const place = await findPlace(world, options)
  const client = await connect(world, place, { url: options.url, insecure: options.insecure, ...limits })
  return {
    world,
    place,
    client,
    at: { owner: place.owner, repo: place.repo },
    look: lookOf(world),
    show: (answer, lines) =>
      void world.stdout.write(`${options.json ? printable(answer) : lines().join('\n')}\n`),
  }
}

/** Columns of a line where there is no terminal to ask. */
const WIDTH = 100

/** As the terminal is now; its width changes. */
export function lookOf({ stdout, env, clock }: World): Look {
  const width = (stdout.isTTY && stdout.columns) || Number(env.COLUMNS) || WIDTH
  return { paint: painter(stdout, env), now: clock(), width }
}

/** The scope that is given, else what git says is touched; without any of both undefined. */
export async function scopeOf(
  { git, diff_base, remote, git_directory }: Place,
  { paths, area = [], staged = false }: ScopeOptions,
): Promise<{ areas: string[]; paths: string[] } | undefined> {
  const isFromGit = paths === undefined && git_directory !== null
  const found =
    paths ?? (isFromGit ? pathsOf(await git.changedPaths(diff_base, { remote, staged_only: staged })) : [])
  return found.length + area.length > 0 ? { areas: area, paths: found } : undefined
}

/** The activity that is meant: the one given, else that of the branch as it was started here or as the service knows it. */
export async function activityIdOf(session: Session, given: string | undefined): Promise<string> {
  if (given !== undefined) return given
  const { place, client, at } = session
  const { git_directory, branch, own_branch } = place
  if (branch === null) throw new CliError('no branch is checked out; name the activity: act_…')
  const remembered =
    git_directory === null ? null : (await recall(git_directory, branchKey(branch))).activity_id
  if (remembered) return remembered
  // What is announced on the base by others is nobody's to end from here.
  const { items } = own_branch
    ? await client.listActivities({ ...at, input: { branch: own_branch, limit: 100 } })
    : { items: [] }
  const [only, ...others] = items.filter(({ status }) => isLive(status))
  if (only && others.length === 0) return only.id
  throw new CliError(
    only
      ? `${others.length + 1} activities are on ${branch}; name one: ${[only, ...others].map(({ id }) => id).join(', ')}`
      : `nothing is announced on ${branch}; deconflict start announces it`,
  )
}
