/** Runs git for a replay, in a scratch repository that reads the objects of the mirror and does not modify it. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const STDERR_MAX = 4000
/** Larger records are cut to this length. */
const RECORD_BYTES_MAX = 32 * 1024 * 1024

export interface Git {
  /** The directory of the repository. */
  directory: string
  /** Yields the output as records, without the separator at their ends. Throws an Error with git's own message. */
  records(args: readonly string[], input: string, separator: string): AsyncGenerator<string>
  text(args: readonly string[], input?: string): Promise<string>
}

export interface ScratchGit extends Git {
  remove(): Promise<void>
}

/** With `settings` false, git ignores the user's configuration, so that diffs and merges are the same on every machine. */
export function gitIn(directory: string, settings: boolean): Git {
  const isolated = settings ? {} : { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...IDENTITY }
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = { ...Object.fromEntries(inherited), LC_ALL: 'C', ...isolated }
  const chunks = (args: readonly string[], input: string) =>
    outputOf([`--git-dir=${directory}`, ...args], input, env)
  return {
    directory,
    records: (args, input, separator) => recordsOf(chunks(args, input), Buffer.from(separator)),
    async text(args, input = '') {
      const parts: Buffer[] = []
      for await (const chunk of chunks(args, input)) parts.push(chunk)
      return Buffer.concat(parts).toString()
    },
  }
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'replay',
  GIT_AUTHOR_EMAIL: 'replay@localhost',
  GIT_COMMITTER_NAME: 'replay',
  GIT_COMMITTER_EMAIL: 'replay@localhost',
}

/**
 * A bare repository in a temporary directory that reads the objects of `mirror`. It is removed when the process exits. The
 * absent files are empty in it.
 */
export async function scratchOf(mirror: Git, absent: ReadonlySet<string>): Promise<ScratchGit> {
  const objects = (await mirror.text(['rev-parse', '--git-path', 'objects'])).trim()
  const directory = await mkdtemp(join(tmpdir(), 'deconflict-replay-'))
  const scratch = gitIn(directory, false)
  await scratch.text(['init', '--quiet', '--bare'])
  await writeFile(join(directory, 'objects/info/alternates'), `${resolve(objects)}\n`)
  if (absent.size > 0) {
    const empty = (await scratch.text(['hash-object', '-w', '--stdin'])).trim()
    const refs = [...absent].map((id) => `create refs/replace/${id} ${empty}\n`)
    await scratch.text(['update-ref', '--stdin'], refs.join(''))
  }
  const removeNow = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', removeNow)
  const remove = async () => {
    process.removeListener('exit', removeNow)
    await rm(directory, { recursive: true, force: true })
  }
  return { ...scratch, remove }
}

async function* outputOf(args: string[], input: string, env: NodeJS.ProcessEnv): AsyncGenerator<Buffer> {
  const child = spawn('git', args, { env })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_MAX) stderr += chunk.toString()
  })
  const ended = new Promise<number | null>((done, fail) => {
    child.once('error', fail)
    child.once('close', done)
  })
  // Git may exit before it has read all of its input; the exit code is checked below.
  child.stdin.on('error', () => {})
  ended.catch(() => {})
  child.stdin.end(input)
  try {
    yield* child.stdout as AsyncIterable<Buffer>
    const code = await ended
    if (code !== 0) throw new Error(`git ${args[1]} failed (exit code ${code}): ${stderr.trim()}`)
  } finally {
    child.kill()
  }
}

async function* recordsOf(chunks: AsyncIterable<Buffer>, separator: Buffer): AsyncGenerator<string> {
  let pending: Buffer = Buffer.alloc(0)
  let beginning: Buffer | null = null
  for await (const chunk of chunks) {
    let searched = Math.max(0, pending.length - separator.length)
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    let from = 0
    for (;;) {
      const end = pending.indexOf(separator, Math.max(from, searched))
      if (end === -1) break
      yield (beginning ?? pending.subarray(from, end)).toString()
      beginning = null
      from = end + separator.length
      searched = from
    }
    pending = pending.subarray(from)
    if (pending.length > RECORD_BYTES_MAX) {
      beginning ??= pending.subarray(0, RECORD_BYTES_MAX)
      pending = pending.subarray(-separator.length)
    }
  }
  if (beginning !== null || pending.length > 0) yield (beginning ?? pending).toString()
}
