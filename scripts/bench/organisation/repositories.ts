/** The repositories of a large organisation on the fake GitHub: copies of one, each with the same open pull requests. */
import { contentsOf } from '../../../test/support/github-pulls.ts'
import type { GithubRepository, Installation, PullFile } from '../../../test/support/github-state.ts'
import type { GithubWorld } from '../../../test/support/github-world.ts'
import { editOf } from '../../../test/support/lines.ts'
import type { Webhook } from '../../../test/support/webhook-payload.ts'
import { pullRequestEvent } from '../../../test/support/webhooks.ts'

const OWNER = 'large'
export const FIRST_ID = 2_000_001
/** The one that the service imports. `TEMPLATE` occurs in no other text. */
export const TEMPLATE = 'r00000'
/** The changed files of a pull request. */
const FILES = 8
const BASE = Array.from({ length: 60 }, (_, line) => `  const v${line} = compute(${line})`)

export const nameOf = (n: number) => `r${String(n).padStart(5, '0')}`
export const fullNameOf = (n: number) => `${OWNER}/${nameOf(n)}`

/** The files of the `k`th pull request after its push number `version`. Others change none of them. */
export function filesOf(k: number, version: number): PullFile[] {
  return Array.from({ length: FILES }, (_, file) => fileOf(k, file, `pull ${k}, push ${version}`))
}

/** A file of the `k`th pull request, changed at the lines where that one changes it. */
export function fileOf(k: number, file: number, text: string): PullFile {
  const added = Array.from({ length: 5 }, (_, line) => `  changed('${text}', ${file}, ${line})`)
  return {
    filename: `packages/p${k}/src/part-${file}.ts`,
    status: 'modified',
    patch: editOf(BASE, 10, 5, added),
  }
}

/** Adds the template with its pull requests, and installs the App there. */
export function openTemplate(github: GithubWorld, pulls: number): Installation {
  const full_name = fullNameOf(0)
  github.repository({ id: FIRST_ID, full_name })
  const at = github.at(full_name)
  at.write('README.md', '# A repository')
  for (let k = 1; k <= pulls; k += 1)
    at.open({ number: k, head: `change-${k}`, author: `person-${k}`, files: filesOf(k, 0) })
  return github.app.install({ repositories: [full_name] })
}

/** The number of the template's `k`th merged pull request. Every tenth changes a file that the one before changed too. */
const mergedNumber = (k: number) => 100 + k
const filesOfMerged = (k: number) => [
  ...filesOf(mergedNumber(k), 0),
  ...(k % 10 === 9 ? [fileOf(mergedNumber(k - 1), 0, `pull ${k}`)] : []),
]

/** Opens or merges `count` pull requests of the template. Returns the deliveries. */
export function history(github: GithubWorld, step: 'opened' | 'merged', count: number): Webhook[] {
  const full_name = fullNameOf(0)
  const at = github.at(full_name)
  return Array.from({ length: count }, (_, k) => {
    const number = mergedNumber(k)
    if (step === 'merged') {
      at.merge(number)
      return pullRequestEvent(github, full_name, number, 'closed')
    }
    at.open({ number, head: `change-${number}`, author: `person-${k % 5}`, files: filesOfMerged(k) })
    return pullRequestEvent(github, full_name, number, 'opened')
  })
}

/** Adds `count` copies of the template from number `first` on. The App has access to all of them. */
export function addCopies(
  github: GithubWorld,
  installation: Installation,
  { first, count }: { first: number; count: number },
): void {
  const { state } = github
  const { branches, commits, parents, pulls } = contentsOf(state, templateOf(github))
  for (let n = first; n < first + count; n += 1) {
    const repository = { id: FIRST_ID + n, full_name: fullNameOf(n) }
    state.repositories.push(repository)
    state.repository_contents.set(repository.id, {
      branches: new Map(branches),
      commits: new Map(commits),
      parents: new Map(parents),
      messages: new Map(),
      pulls: pulls.map((pull) => ({
        ...pull,
        id: pull.id + n * 100_000,
        head: { ...pull.head, repository: repository.full_name },
        base: { ...pull.base },
      })),
      comments: [],
      check_runs: [],
    })
  }
  installation.repositories = 'all'
}

function templateOf({ state }: GithubWorld): GithubRepository {
  return state.repositories.find(({ id }) => id === FIRST_ID) as GithubRepository
}
