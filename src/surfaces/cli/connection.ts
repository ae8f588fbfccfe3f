/** Which server is called, and with which token: environment, `gh`, and what `deconflict login` wrote. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { stopwatch } from '../../base/clock.ts'
import { exposesTokens } from '../../client/address.ts'
import { type Client, type ClientOptions, createClient, getServiceInfo } from '../../client/client.ts'
import { requireRemoteOn, resolveHost } from './github-host.ts'
import type { Place } from './place.ts'
import { CliError, type World } from './world.ts'

const GH_TIMEOUT_MS = 5000

const Stored = z.object({
  url: z.string(),
  /** Only where somebody asked for it to be kept. */
  token: z.string().optional(),
})
export type Stored = z.output<typeof Stored>

/** Where `login` writes to. */
export function configFile(env: World['env']): string {
  const home = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config')
  return join(home, 'deconflict', 'config.json')
}

async function readStored(env: World['env']): Promise<Stored | undefined> {
  const text = await readFile(configFile(env), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return Stored.parse(JSON.parse(text))
  } catch {
    throw new CliError(`${configFile(env)} cannot be read; run deconflict login URL again`)
  }
}

/** For the user alone, whatever was there before. */
export async function writeStored(env: World['env'], stored: Stored): Promise<string> {
  const file = configFile(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 })
  await chmod(file, 0o600)
  return file
}

/** How a command names the server. */
export interface ServerOptions {
  url?: string
  insecure?: boolean
}

/** The address of the server. Throws `CliError` where none is set, or one that no token should be sent to. */
export async function findUrl(world: World, { url: given, insecure }: ServerOptions): Promise<string> {
  const { env } = world
  const url = given ?? (env.DECONFLICT_URL || (await readStored(env))?.url)
  if (!url) throw new CliError('which server? Set DECONFLICT_URL, or run deconflict login URL once')
  if (!URL.canParse(url) || !/^https?:\/\//.test(url))
    throw new CliError(`the server must be an http:// or https:// address, not ${url}`)
  const isAllowed = insecure === true || env.DECONFLICT_INSECURE === '1'
  if (!isAllowed && exposesTokens(url))
    throw new CliError(
      `${new URL(url).origin} is not https://, so your GitHub token could be read on the way; use https://, or --insecure or DECONFLICT_INSECURE=1 to send it all the same`,
    )
  return withoutSlash(url)
}

/** A token from `GITHUB_TOKEN`, `GH_TOKEN`, what was stored for this very server, or `gh`. Throws `CliError`. */
async function findToken(
  world: World,
  { url, place, timeout_ms }: { url: string; place: Place | undefined; timeout_ms: number },
): Promise<string> {
  const { env } = world
  const token =
    env.GITHUB_TOKEN ||
    env.GH_TOKEN ||
    (await storedToken(env, url)) ||
    (await askGh(env, place ? await resolveHost(world, place) : 'github.com', timeout_ms))
  if (token) return token
  throw new CliError('no GitHub token: set GITHUB_TOKEN, or run gh auth login')
}

async function storedToken(env: World['env'], url: string): Promise<string | undefined> {
  const stored = await readStored(env)
  return stored && withoutSlash(stored.url) === url ? stored.token : undefined
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

async function askGh(env: World['env'], host: string, timeout: number): Promise<string | undefined> {
  try {
    const args = ['auth', 'token', '--hostname', host]
    const { stdout } = await promisify(execFile)('gh', args, { env, timeout })
    return stdout.trim()
  } catch {
    return undefined
  }
}

type Limits = Pick<ClientOptions, 'timeout_ms' | 'attempts' | 'patience_ms' | 'budget_ms'>

/** How long a person waits: less than a program. */
const PATIENT = { timeout_ms: 15_000, attempts: 3, patience_ms: 20_000 }

/**
 * A client for the repository of `place`; undefined outside of one. Throws `CliError` where the remote is on another
 * host than the repositories of the server: one of the same name there is another repository.
 */
export async function connect(
  world: World,
  place: Place | undefined,
  { url: given, insecure, token: known, ...limits }: ServerOptions & Limits & { token?: string },
): Promise<Client> {
  const elapsed = stopwatch()
  const url = await findUrl(world, { url: given, insecure })
  const left_ms = () => Math.max(0, (limits.budget_ms ?? Number.POSITIVE_INFINITY) - elapsed())
  // 0 would be no limit.
  const timeout_ms = Math.max(1, Math.ceil(Math.min(GH_TIMEOUT_MS, left_ms())))
  const token = known ?? (await findToken(world, { url, place, timeout_ms }))
  const ours = { ...PATIENT, ...limits, base_url: url }
  if (place && !place.is_named) {
    const { github_host } = await getServiceInfo({ ...ours, budget_ms: left_ms() })
    if (github_host !== null) await requireRemoteOn(world, place, { url, github_host })
  }
  // `findUrl` has allowed the address.
  return createClient({ ...ours, token, insecure: true, budget_ms: left_ms() })
}
