/** Which server is asked, and with which token: environment, `gh`, and what `deconflict login` wrote. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type Client, type ClientOptions, createClient } from '../../client/client.ts'
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

/** The address of the server. Throws `CliError` where none is set, or one that is none. */
export async function findUrl(world: World, given: string | undefined): Promise<string> {
  const url = given ?? (world.env.DECONFLICT_URL || (await readStored(world.env))?.url)
  if (!url) throw new CliError('which server? Set DECONFLICT_URL, or run deconflict login URL once')
  if (!URL.canParse(url) || !/^https?:\/\//.test(url))
    throw new CliError(`the server must be an http:// or https:// address, not ${url}`)
  return url
}

/** A token from `GITHUB_TOKEN`, `GH_TOKEN`, `gh auth token`, or what was stored for this very server. */
export async function findToken(world: World, { url, host }: { url: string; host: string }): Promise<string> {
  const { env } = world
  const token = env.GITHUB_TOKEN || env.GH_TOKEN || (await storedToken(env, url)) || (await askGh(env, host))
  if (token) return token
  throw new CliError('no GitHub token: set GITHUB_TOKEN, or run gh auth login')
}

async function storedToken(env: World['env'], url: string): Promise<string | undefined> {
  const stored = await readStored(env)
  return stored?.url === url ? stored.token : undefined
}

async function askGh(env: World['env'], host: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('gh', ['auth', 'token', '--hostname', host], {
      env,
      timeout: GH_TIMEOUT_MS,
    })
    return stdout.trim()
  } catch {
    return undefined
  }
}

/** How long a person waits: less than a program. */
const PATIENT = { timeout_ms: 15_000, attempts: 3, patience_ms: 20_000 }

export async function connect(
  world: World,
  { url: given, host, ...limits }: { url: string | undefined; host: string } & Partial<ClientOptions>,
): Promise<Client> {
  const url = await findUrl(world, given)
  return createClient({ base_url: url, token: await findToken(world, { url, host }), ...PATIENT, ...limits })
}
