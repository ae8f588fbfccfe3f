/** The pull requests of a mirror on the fake GitHub: their patches, bases and merges. */
import { spawnSync } from 'node:child_process'
import type { FakeRepository } from '../../../test/support/github-repository.ts'
import type { GithubState, PullFile, PullRequest } from '../../../test/support/github-state.ts'
import { fileEntries } from '../changed-files.ts'
import type { Branch, Commit, Commits } from '../commits.ts'
import type { Git } from '../git.ts'
import type { Changed } from '../heads.ts'
import { readMessages } from '../read-changes.ts'
import type { HeadAndBase } from '../revisions.ts'
import { isByAgent, type Revision } from './events.ts'

interface Source {
  git: Git
  commits: Commits
  branches: readonly Branch[]
  absent: ReadonlySet<string>
}

/** Each caller's token is the login, and may write. */
export interface MirrorGithub {
  loginOf(pr: Changed): string
  /** The branch of an agent's pull request; others come from forks. */
  headOf(pr: Changed): string
  filesOf(revision: HeadAndBase): PullFile[]
  open(pr: Changed, revision: Revision): void
  push(pr: Changed, revision: Revision): { before: string; after: string }
  end(pr: Changed): void
  /** Call it before GitHub answers a request for the pull request. */
  tryMerge(n: number): void
}

export async function mirrorGithub(
  { git, commits, branches, absent }: Source,
  { state, repository, all }: { state: GithubState; repository: FakeRepository; all: readonly Changed[] },
): Promise<MirrorGithub> {
  const files = await readFiles({ git, commits, branches, absent }, all)
  const messages = await readMessages(git, commits.all, all)
  const logins = loginsOf(all)
  const now = new Map<number, Revision>()
  const byNumber = new Map(all.map((pr) => [pr.n, pr]))
  const shaOf = (index: number) => (commits.all[index] as Commit).sha
  const timeOf = (seconds: number) => new Date(1000 * seconds).toISOString().replace('.000Z', 'Z')
  /** The commit of the target branch at a time. */
  const tipAt = ({ branch }: Changed, at: number): string => {
    const { chain } = branches[branch] as Branch
    const tip = chain.findLast((index) => (commits.all[index] as Commit).committed <= at) ?? chain[0]
    return shaOf(tip as number)
  }
  const loginOf = (pr: Changed) => logins.get(pr.author) as string
  const headOf = (pr: Changed) => (isByAgent(pr) ? `claude/task-${pr.n}` : `${loginOf(pr)}:change-${pr.n}`)
  const filesOf = (revision: HeadAndBase) => files.get(keyOf(revision)) ?? []
  let time = 0

  /** The merges that were tried: by pull request, the two commits and the result. */
  const tried = new Map<number, { commits: string; value: boolean | null }>()
  /** GitHub tries the merge when a pull request is read, and answers null at first. */
  const tryMerge = (n: number) => {
    const [pr, revision] = [byNumber.get(n), now.get(n)]
    if (pr === undefined || revision === undefined) return
    const [base, head] = [tipAt(pr, time), shaOf(revision.head)]
    const known = tried.get(n)
    if (known?.commits !== `${base} ${head}`) tried.set(n, { commits: `${base} ${head}`, value: null })
    else {
      const args = [`--git-dir=${git.directory}`, 'merge-tree', '--write-tree', base, head]
      known.value ??= spawnSync('git', args, { stdio: 'ignore' }).status === 0
    }
    repository.pull(n).mergeable = tried.get(n)?.value ?? null
  }

  return {
    loginOf,
    headOf,
    filesOf,
    tryMerge,
    open(pr, revision) {
      time = revision.at
      now.set(pr.n, revision)
      const texts = [...pr.own].map((index) => messages.get(shaOf(index)) ?? '')
      const [title = '', ...rest] = (texts.at(-1) ?? '').trim().split('\n')
      const base = (branches[pr.branch] as Branch).name
      const pull = repository.open({
        number: pr.n,
        title: title.slice(0, 200) || `Change ${pr.n}`,
        body: rest.join('\n').trim() || null,
        head: headOf(pr),
        base,
        author: { login: loginOf(pr), type: pr.is_bot ? 'Bot' : 'User' },
        files: filesOf(revision),
        created_at: timeOf(pr.opened),
        mergeable: null,
      })
      place(pull, revision, pr)
    },
    push(pr, revision) {
      time = revision.at
      now.set(pr.n, revision)
      const pull = repository.pull(pr.n)
      const before = pull.head.sha
      pull.files = filesOf(revision)
      place(pull, revision, pr)
      return { before, after: pull.head.sha }
    },
    end(pr) {
      time = pr.ended
      const pull = pr.merged === null ? repository.close(pr.n) : repository.merge(pr.n)
      const at = timeOf(pr.ended)
      Object.assign(pull, { closed_at: at, updated_at: at, ...(pr.merged && { merged_at: at }) })
    },
  }

  function place(pull: PullRequest, revision: Revision, pr: Changed): void {
    const sha = shaOf(revision.head)
    const contents = state.repository_contents.get(repository.repository.id)
    contents?.commits.set(sha, {})
    if (pull.head.repository === repository.repository.full_name) contents?.branches.set(pull.head.ref, sha)
    pull.head.sha = sha
    pull.base.sha = tipAt(pr, revision.at)
    pull.updated_at = timeOf(revision.at)
    pull.mergeable = null
  }
}

/** The files of each revision, in GitHub's form. */
async function readFiles({ git, commits, absent }: Source, all: readonly Changed[]) {
  const revisions = new Map(all.flatMap((pr) => pr.revisions).map((each) => [keyOf(each), each]))
  const keys = [...revisions.keys()]
  const trees = [...revisions.values()].map(({ base, head }) => ({
    from: (commits.all[base] as Commit).tree,
    to: (commits.all[head] as Commit).tree,
  }))
  const files = new Map<string, PullFile[]>()
  for await (const entries of fileEntries(git, trees, { absent })) {
    const pullFiles = entries.map(
      ({ filename, previous_filename, status, sha, patch }): PullFile => ({
        filename,
        status: (status ?? 'modified') as PullFile['status'],
        ...(previous_filename && { previous_filename }),
        ...(sha && { sha }),
        patch: patch ?? null,
      }),
    )
    files.set(keys[files.size] as string, pullFiles)
  }
  return files
}

function keyOf({ head, base }: HeadAndBase): string {
  return `${base} ${head}`
}

/** A login for each author. */
function loginsOf(all: readonly Changed[]): Map<string, string> {
  const logins = new Map<string, string>()
  const taken = new Set<string>()
  for (const { author, is_bot } of all) {
    if (logins.has(author)) continue
    const name =
      (author.split('@')[0] ?? '').replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'author'
    let login = name
    for (let copy = 2; taken.has(login.toLowerCase()); copy += 1) login = `${name}-${copy}`
    taken.add(login.toLowerCase())
    logins.set(author, is_bot ? `${login}[bot]` : login)
  }
  return logins
}
