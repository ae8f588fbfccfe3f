/**
 * The GitHub App that `/setup` creates: from the manifest that a person confirmed on GitHub. Its credentials are in the database, encrypted
 * with `SECRETS_KEY`, or in a file of `DATA_DIR` that only its owner can read (docs/install.md). Every instance uses it without a restart.
 */
import { access, constants, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Octokit } from '@octokit/rest'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { z } from 'zod'
import { Failure, unavailable } from '../../../vocabulary/failure.ts'
import { type Config, ConfigError } from '../../platform/config.ts'
import { announce } from '../../platform/db/database.ts'
import { makeDirectory } from '../../platform/db/embedded.ts'
import { faultOf } from '../../platform/db/errors.ts'
import type { App } from '../../records/repositories/app.ts'
import { statusOf } from '../client.ts'
import { deleteCodes, findCredentials, insertCredentials, issueCode } from './store.ts'

const TIMEOUT_MS = 10_000
/** Channel on which an instance announces that it stored the App. */
const CHANNEL = 'deconflict_app'

const CreatedApp = z.object({
  id: z.int(),
  private_key: z.string(),
  webhook_secret: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
})

export type CreatedApp = z.infer<typeof CreatedApp>

/** As GitHub describes a new App. */
const Conversion = CreatedApp.omit({ private_key: true }).extend({
  /** The App's public page. */
  html_url: z.url({ protocol: /^https?$/ }),
  pem: z.string(),
})

/**
 * Exchanges the code in GitHub's redirect for the credentials of the new App. A code is valid once, for an hour.
 * Throws `forbidden` if GitHub does not accept the code, and `service_unavailable`. One call, without a token.
 */
export async function convertManifest(
  github: Octokit,
  code: string,
): Promise<{ created: CreatedApp; html_url: string }> {
  let data: unknown
  try {
    const request = { signal: AbortSignal.timeout(TIMEOUT_MS) }
    data = (await github.rest.apps.createFromManifest({ code, request })).data
  } catch (error) {
    const status = statusOf(error)
    if (status === 404 || status === 422)
      throw new Failure(
        'forbidden',
        'GitHub does not accept the code of this set-up: it was used before, or is older than an hour. Open the address from the log again.',
      )
    throw unavailable('GitHub is unavailable, so the App was not created. Reload this page in a minute.')
  }
  const conversion = Conversion.safeParse(data)
  if (!conversion.success)
    throw unavailable(
      'GitHub’s response does not contain the App’s credentials. Delete the App on GitHub, and open the address from the log again.',
    )
  const { pem, html_url, ...known } = conversion.data
  return { created: { ...known, private_key: pem }, html_url }
}

type Context = Pick<App, 'config' | 'database' | 'clock'>

/** Where credentials are stored. A file is seen by this instance only. */
export type Storage = { kind: 'database'; key: Uint8Array } | { kind: 'file'; path: string }

export function storageOf({ database_url, secrets_key, data_dir }: Config): Storage {
  return database_url && secrets_key
    ? { kind: 'database', key: secrets_key }
    : { kind: 'file', path: join(data_dir, 'github-app.json') }
}

/** Why credentials could not be stored; undefined if they can. */
export async function storageProblem(config: Config): Promise<string | undefined> {
  if (storageOf(config).kind === 'database') return undefined
  const { data_dir, database_url } = config
  try {
    await makeDirectory(data_dir)
    await access(`${data_dir}/.`, constants.W_OK)
    return undefined
  } catch {
    const other = database_url ? ', or set SECRETS_KEY to store the credentials in the database' : ''
    return `DATA_DIR ${data_dir} is not writable; make it writable${other}`
  }
}

/** The stored App, or null. Throws `ConfigError` if it cannot be read. */
export async function readCreatedApp({ config, database }: Context): Promise<CreatedApp | null> {
  const encrypted = config.database_url && (await findCredentials(database.connection()))
  if (encrypted) return decrypted(encrypted, config.secrets_key)
  const path = join(config.data_dir, 'github-app.json')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new ConfigError(`DATA_DIR holds ${path}, which cannot be read (${error.code})`)
  })
  if (text === undefined) return null
  return parsed(
    text,
    `DATA_DIR holds ${path}, which is not valid; restore it, or delete it and create the App again`,
  )
}

async function decrypted(encrypted: string, key: Uint8Array | null): Promise<CreatedApp> {
  const instead = 'or set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET'
  if (!key)
    throw new ConfigError(
      `SECRETS_KEY is not set, but the database holds the GitHub App encrypted with it; set it, ${instead}`,
    )
  const problem = `SECRETS_KEY does not decrypt the GitHub App in the database; set the key with which it was stored, ${instead}`
  const plaintext = await compactDecrypt(encrypted, key).then(
    (opened) => new TextDecoder().decode(opened.plaintext),
    () => '',
  )
  return parsed(plaintext, problem)
}

function parsed(text: string, problem: string): CreatedApp {
  try {
    return CreatedApp.parse(JSON.parse(text))
  } catch {
    throw new ConfigError(problem)
  }
}

/**
 * Stores the App and deletes all codes, so that there is no second one. Returns false, and stores nothing, if an App is
 * stored already. Throws what the database or the file system throws.
 */
export async function saveCreatedApp(
  { config, database, clock }: Context,
  app: CreatedApp,
): Promise<boolean> {
  const storage = storageOf(config)
  const db = database.connection()
  const text = JSON.stringify(app)
  const isStored =
    storage.kind === 'database'
      ? await insertCredentials(db, await encryptedWith(storage.key, text), clock())
      : await createFile(storage.path, text)
  await deleteCodes(db)
  return isStored
}

function encryptedWith(key: Uint8Array, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(key)
}

/** Creates a file that only its owner can read; false if it exists. */
async function createFile(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Announces to all instances that the App is stored. */
export function announceCreatedApp({ database }: App): Promise<void> {
  return announce(database.connection(), CHANNEL, '')
}

/**
 * Uses the App that `/setup` created. If there is none yet, waits in the background for another instance to create it. Returns
 * the address of `/setup` with a one-time code; null if there is an App already, or no public address. Throws `ConfigError` if
 * the App cannot be read.
 */
export async function adoptCreatedApp(
  app: App,
  useCreatedApp: (created: CreatedApp) => Promise<void>,
): Promise<string | null> {
  const adopt = async () => {
    const created = await readCreatedApp(app)
    if (created) await useCreatedApp(created)
  }
  const adoptLater = () => {
    adopt().catch((error) =>
      app.log.error(
        error instanceof ConfigError ? { problem: error.message } : faultOf(error),
        'github app not loaded',
      ),
    )
  }
  await adopt()
  if (app.github_app) return null
  await app.database.listen(CHANNEL, { received: adoptLater, missed: adoptLater })
  const { public_url } = app.config
  return public_url && `${public_url}/setup?code=${await issueCode(app)}`
}
