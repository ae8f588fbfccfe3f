/** Reads the refs of a mirror that contains GitHub's `refs/pull/N/head`. */
import { type Git, gitIn } from './git.ts'

export interface Ref {
  name: string
  sha: string
  /** When its commit was made, in seconds. */
  committed: number
}

export interface Mirror {
  git: Git
  default_branch: Ref
  /** All but the default one. */
  branches: Ref[]
  /** Heads of pull requests by number. */
  heads: Map<number, string>
  /**
   * When GitHub last tried to merge a pull request, in seconds (`refs/pull/N/merge`). It deletes that ref when the pull
   * request is closed. Empty if the mirror has no such refs.
   */
  merge_tried: Map<number, number>
  /** Ids of files that are missing in the mirror, such as large ones in a partial clone. */
  absent: Set<string>
}

const HOW = 'create one with: git clone --mirror https://github.com/OWNER/NAME'

/** Throws an Error that names what is missing. */
export async function openMirror(directory: string): Promise<Mirror> {
  const git = gitIn(directory, true)
  const format = '--format=%(refname) %(objectname) %(objecttype) %(committerdate:unix)'
  const listed = await git.text(['for-each-ref', format, 'refs/heads', 'refs/pull']).catch((error: Error) => {
    throw new Error(`--git ${directory}: not a readable bare git repository; ${HOW}\n${error.message}`)
  })
  const branches: Ref[] = []
  const [heads, merge_tried] = [new Map<number, string>(), new Map<number, number>()]
  for (const line of listed.split('\n')) {
    const [name = '', sha = '', type, committed] = line.split(' ')
    if (type !== 'commit') continue
    const [, n, kind] = /^refs\/pull\/(\d+)\/(head|merge)$/.exec(name) ?? []
    if (kind === 'head') heads.set(Number(n), sha)
    else if (kind === 'merge') merge_tried.set(Number(n), Number(committed))
    else if (name.startsWith('refs/heads/')) branches.push({ name, sha, committed: Number(committed) })
  }
  if (heads.size === 0) throw new Error(`--git ${directory}: has no refs/pull/N/head; ${HOW}`)
  const head = await git.text(['symbolic-ref', 'HEAD']).catch(() => '')
  const default_branch = [head.trim(), 'refs/heads/main', 'refs/heads/master']
    .map((name) => branches.find((branch) => branch.name === name))
    .find((branch) => branch !== undefined)
  if (default_branch === undefined)
    throw new Error(`--git ${directory}: has no default branch (HEAD, main or master); ${HOW}`)
  return {
    git,
    default_branch,
    branches: branches.filter((branch) => branch !== default_branch),
    heads,
    merge_tried,
    absent: await absentOf(git),
  }
}

async function absentOf(git: Git): Promise<Set<string>> {
  const absent = new Set<string>()
  const args = ['rev-list', '--objects', '--no-object-names', '--all', '--missing=print']
  for await (const id of git.records(args, '', '\n')) if (id.startsWith('?')) absent.add(id.slice(1))
  return absent
}
