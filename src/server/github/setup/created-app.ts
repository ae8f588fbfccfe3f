/**
 * The GitHub App that `/setup` created: its credentials, in the database, encrypted with `SECRETS_KEY`, or in a file of
 * `DATA_DIR` that only its owner can read (docs/install.md).
 */
import { access, constants, mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { z } from 'zod'
import { type Config, ConfigError } from '../../platform/config.ts'
import type { App } from '../../records/repositories/app.ts'
import { deleteCodes, findCredentials, insertCredentials } from './store.ts'

const CreatedApp = z.object({
  id: z.int(),
  private_key: z.string(),
  webhook_secret: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
})

export type CreatedApp = z.infer<typeof CreatedApp>

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
    await mkdir(data_dir, { recursive: true, mode: 0o700 })
    await access(data_dir, constants.W_OK)
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
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
