/** What commands remember between two runs, in the git directory: which activity belongs to a branch or a session. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const Remembered = z.object({
  activity_id: z.string().nullable(),
  branch: z.string().nullable(),
  /** What the activity was last told that it touches. */
  paths: z.array(z.string()),
  /** When the service was last told of a sign of life. */
  told_at: z.number(),
  /** The activity was declared by somebody else, who ends it. */
  is_borrowed: z.boolean(),
  /** Collisions that were shown already. */
  shown: z.array(z.string()),
})
export type Remembered = z.output<typeof Remembered>

export const NOTHING: Remembered = {
  activity_id: null,
  branch: null,
  paths: [],
  told_at: 0,
  is_borrowed: false,
  shown: [],
}

export const sessionKey = (session: string) => `session:${session}`
export const branchKey = (branch: string | null) => `branch:${branch ?? ''}`

/** `NOTHING` where nothing is remembered, or nothing that can be read. */
export async function recall(git_directory: string, key: string): Promise<Remembered> {
  return readFrom(fileOf(git_directory, key))
}

/** What every session remembers, of which those that nobody ended may be long over. */
export async function recallSessions(git_directory: string): Promise<Remembered[]> {
  const directory = directoryIn(git_directory)
  const names = await readdir(directory).catch(() => [])
  const files = names.filter((name) => name.startsWith('session-') && name.endsWith('.json'))
  return Promise.all(files.map((name) => readFrom(join(directory, name))))
}

async function readFrom(file: string): Promise<Remembered> {
  try {
    const parsed = Remembered.safeParse(JSON.parse(await readFile(file, 'utf8')))
    return parsed.success ? parsed.data : NOTHING
  } catch {
    return NOTHING
  }
}

/** Replaces the file as a whole, so that nobody reads half of it. */
export async function remember(git_directory: string, key: string, what: Remembered): Promise<void> {
  const file = fileOf(git_directory, key)
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, JSON.stringify(what))
  await rename(draft, file)
}

export async function forget(git_directory: string, key: string): Promise<void> {
  await rm(fileOf(git_directory, key), { force: true })
}

function directoryIn(git_directory: string): string {
  return join(git_directory, 'deconflict')
}

/** `session-….json` or `branch-….json`: what a key names may be too long for a file, or hold a slash. */
function fileOf(git_directory: string, key: string): string {
  const kind = key.slice(0, key.indexOf(':'))
  const name = createHash('sha256').update(key).digest('hex').slice(0, 20)
  return join(directoryIn(git_directory), `${kind}-${name}.json`)
}
