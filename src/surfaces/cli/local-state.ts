/** State of a working tree, in its git directory: which activity belongs to a branch or an agent session. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const LocalState = z.object({
  activity_id: z.string().nullable(),
  branch: z.string().nullable(),
  /** The paths of the last sent scope: those that the user named, and the files that the agent edits. */
  paths: z.array(z.string()),
  /** The areas of the last sent scope; null if unknown, because `deconflict start` sent it. */
  areas: z.array(z.string()).nullable().default(null),
  /** A hash of the changed files that were last sent. */
  changes_hash: z.string().default(''),
  /** When the last heartbeat was sent, in milliseconds since the epoch. */
  heartbeat_at: z.number().default(0),
  /** The activity was created with `deconflict start`, so the session does not archive it. */
  is_borrowed: z.boolean(),
  /** Ids of the overlap that was already shown. */
  shown: z.array(z.string()),
})
export type LocalState = z.output<typeof LocalState>

export const NO_STATE: LocalState = {
  activity_id: null,
  branch: null,
  paths: [],
  areas: null,
  changes_hash: '',
  heartbeat_at: 0,
  is_borrowed: false,
  shown: [],
}

export const sessionKey = (session: string) => `session:${session}`
export const branchKey = (branch: string | null) => `branch:${branch ?? ''}`

/** `NO_STATE` if there is none, or none that can be read. */
export async function readState(git_directory: string, key: string): Promise<LocalState> {
  return readFrom(stateFile(git_directory, key))
}

/** The state of every agent session, including sessions that ended without their last hook. */
export async function readSessionStates(git_directory: string): Promise<LocalState[]> {
  const directory = stateDirectory(git_directory)
  const names = await readdir(directory).catch(() => [])
  const files = names.filter((name) => name.startsWith('session-') && name.endsWith('.json'))
  return Promise.all(files.map((name) => readFrom(join(directory, name))))
}

async function readFrom(file: string): Promise<LocalState> {
  try {
    const parsed = LocalState.safeParse(JSON.parse(await readFile(file, 'utf8')))
    return parsed.success ? parsed.data : NO_STATE
  } catch {
    return NO_STATE
  }
}

/** Replaces the file atomically. */
export async function writeState(git_directory: string, key: string, state: LocalState): Promise<void> {
  const file = stateFile(git_directory, key)
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, JSON.stringify(state))
  await rename(draft, file)
}

export async function deleteState(git_directory: string, key: string): Promise<void> {
  await rm(stateFile(git_directory, key), { force: true })
}

/** The directory of all local state, locks included. */
export function stateDirectory(git_directory: string): string {
  return join(git_directory, 'deconflict')
}

/** `session-….json` or `branch-….json`. Hashed, since a key may be too long for a file name or contain a slash. */
function stateFile(git_directory: string, key: string): string {
  const kind = key.slice(0, key.indexOf(':'))
  const name = createHash('sha256').update(key).digest('hex').slice(0, 20)
  return join(stateDirectory(git_directory), `${kind}-${name}.json`)
}
