/** The pull requests of a mirror on the fake GitHub: their patches, bases and merges. */
import type { FakeRepository } from '../../../test/support/github-repository.ts'
import type { GithubState, PullFile, PullRequest } from '../../../test/support/github-state.ts'
import { fileEntries } from '../changed-files.ts'
import { type Branch, type Commit, type Commits, tipAt } from '../commits.ts'
import type { Git } from '../git.ts'
import type { Changed } from '../heads.ts'
import { keyOf, readTexts, treesOf } from '../read-changes.ts'
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
}

export async function mirrorGithub(
  { git, commits, branches, absent }: Source,
  { state, repository, all }: { state: GithubState; repository: FakeRepository; all: readonly Changed[] },
): Promise<MirrorGithub> {
  const files = await readFiles({ git, commits, branches, absent }, all)
  const texts = await readTexts(git, { commits, branches }, all)
  const logins = loginsOf(all)
  const shaOf = (index: number) => (commits.all[index] as Commit).sha
  const timeOf = (seconds: number) => new Date(1000 * seconds).toISOString().replace('.000Z', 'Z')
  const tipOf = ({ branch }: Changed, at: number) => tipAt({ commits, branches }, branch, at).sha
  const loginOf = (pr: Changed) => logins.get(pr.author) as string
  const headOf = (pr: Changed) => (isByAgent(pr) ? `claude/task-${pr.n}` : `${loginOf(pr)}:change-${pr.n}`)
  const filesOf = (revision: HeadAndBase) => files.get(keyOf(revision)) ?? []
  return {
    loginOf,
    headOf,
    filesOf,
    open(pr, revision) {
      const all = texts.get(pr.n) ?? []
      const [title = '', ...rest] = (all.at(-1) ?? '').trim().split('\n')
      const base = (branches[pr.branch] as Branch).name
      const pull = repository.open({
        number: pr.n,
        title: title.slice(0, 200) || `Change ${pr.n}`,
        body: [rest.join('\n'), ...all.slice(0, -1)].join('\n\n').trim() || null,
        head: headOf(pr),
        base,
        author: { login: loginOf(pr), type: pr.is_bot ? 'Bot' : 'User' },
        files: filesOf(revision),
        created_at: timeOf(pr.opened),
      })
      place(pull, revision, pr)
    },
    push(pr, revision) {
      const pull = repository.pull(pr.n)
      const before = pull.head.sha
      pull.files = filesOf(revision)
      place(pull, revision, pr)
      return { before, after: pull.head.sha }
    },
    end(pr) {
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
    pull.base.sha = tipOf(pr, revision.at)
    pull.updated_at = timeOf(revision.at)
  }
}

/** The files of each revision, in GitHub's form. */
async function readFiles({ git, commits, absent }: Source, all: readonly Changed[]) {
  const { distinct, trees } = treesOf(
    commits.all,
    all.flatMap((pr) => pr.revisions),
  )
  const files = new Map<string, PullFile[]>()
  for await (const entries of fileEntries(git, trees, absent)) {
    const pullFiles = entries.map(
      ({ filename, previous_filename, status, sha, patch }): PullFile => ({
        filename,
        status: (status ?? 'modified') as PullFile['status'],
        ...(previous_filename && { previous_filename }),
        ...(sha && { sha }),
        patch: patch ?? null,
      }),
    )
    files.set(keyOf(distinct[files.size] as HeadAndBase), pullFiles)
  }
  return files
}

/** A login for each author. */
function loginsOf(all: readonly Changed[]): Map<string, string> {
  const bots = new Map(all.map(({ author, is_bot }) => [author, is_bot]))
  return new Map([...bots].map(([author, is_bot], at) => [author, `author-${at}${is_bot ? '[bot]' : ''}`]))
}
