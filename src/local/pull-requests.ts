/** Reads the heads of open pull requests from a remote into `refs/deconflict` (docs/contract/local.md#pull-requests). */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../git/git.ts'
import { textOf } from '../git/small-files.ts'

const PULLS_MAX = 200
/** How far back the base branch is searched for merged heads. */
const BASE_COMMITS_MAX = 20_000

const KINDS = ['pull', 'merge-requests'] as const
type Kind = (typeof KINDS)[number]

export interface OpenPull {
  kind: Kind
  number: number
  sha: string
}

/**
 * The open pull requests, the newest first. A remote keeps the head of each one for ever, and `merge` only while it is open. GitLab can
 * have no `merge` at all: then those are open whose head is not in the base branch. `listed`: the output of `git ls-remote`.
 */
export function openPulls(listed: string, isInBase: (sha: string) => boolean): OpenPull[] {
  const lines = listed.matchAll(/^([0-9a-f]+)\trefs\/(pull|merge-requests)\/([1-9]\d{0,8})\/(head|merge)$/gm)
  const refs = [...lines].map(([, sha = '', kind, number, end]) => ({
    pull: { kind: kind as Kind, number: Number(number), sha },
    is_head: end === 'head',
  }))
  const merges = refs.filter(({ is_head }) => !is_head).map(({ pull }) => pull)
  const mergeable = new Set(merges.map(({ kind, number }) => `${kind} ${number}`))
  const hasMerges = merges.some(({ kind }) => kind === 'merge-requests')
  const isOpen = ({ kind, number, sha }: OpenPull) =>
    kind === 'pull' || hasMerges ? mergeable.has(`${kind} ${number}`) : !isInBase(sha)
  return refs
    .flatMap(({ pull, is_head }) => (is_head && isOpen(pull) ? [pull] : []))
    .sort((a, b) => b.number - a.number)
}

interface FetchOptions {
  git: Git
  remote: string
  base: string | undefined
  /** Where the records of the clone are. */
  directory: string
}

/** Fetches the heads of the newest ones that have moved, and deletes those of closed ones. Throws `RemoteError`. Returns how many there are. */
export async function fetchPulls({ git, remote, base, directory }: FetchOptions) {
  const patterns = KINDS.flatMap((kind) => [`refs/${kind}/*/head`, `refs/${kind}/*/merge`])
  const listed = await git.fromRemote(['ls-remote', remote, ...patterns])
  const [head] = await git.commitsOf(base, remote)
  const merged = head && (await git.output(['rev-list', `--max-count=${BASE_COMMITS_MAX}`, head]))
  const inBase = new Set(merged?.split('\n'))
  const all = openPulls(listed, (sha) => inBase.has(sha))
  const newest = all.slice(0, PULLS_MAX)
  const open = new Map(newest.map((each) => [`refs/deconflict/${each.kind}/${each.number}`, each]))
  const known = await git.refs('objectname', ['refs/deconflict'])
  const moved = [...open].filter(([ref, { sha }]) => known.get(ref) !== sha)
  const closed = [...known.keys()].filter((ref) => !open.has(ref))
  if (moved.length > 0)
    await git.fromRemote([
      ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--refmap='],
      ...[remote, ...moved.map(([ref, { kind, number }]) => `+refs/${kind}/${number}/head:${ref}`)],
    ])
  if (closed.length > 0)
    await git.output(['update-ref', '--stdin'], { input: closed.map((ref) => `delete ${ref}\n`).join('') })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const left_out = all.length - newest.length
  writeFileSync(join(directory, FETCHED), String(left_out), { mode: 0o600 })
  return { open: open.size, closed: closed.length, left_out }
}

const FETCHED = 'fetched'

export interface Fetched {
  at: Date
  /** How many open ones were too many. */
  left_out: number
}

/** What is known of the last fetch; null if there was none. */
export function lastFetch(directory: string): Fetched | null {
  const file = join(directory, FETCHED)
  const at = statSync(file, { throwIfNoEntry: false })?.mtime
  return at === undefined ? null : { at, left_out: Number(textOf(file)) || 0 }
}
