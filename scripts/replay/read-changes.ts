/** Reads the changed files of pull requests, of their last heads and of their earlier pushes. */

import { loginAuthor } from '../../src/engine/check/sides.ts'
import type { FileChange } from '../../src/engine/lines/change.ts'
import { KEY_BYTES, lineHasher } from '../../src/engine/lines/line-hash.ts'
import { closingIssues } from '../../src/engine/lines/markdown-prose.ts'
import type { NoiseRules } from '../../src/engine/lines/noise.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { changedFiles } from './changed-files.ts'
import type { Branch, Commit, Commits } from './commits.ts'
import type { Git } from './git.ts'
import { type Changed, type Head, headOf } from './heads.ts'
import type { Mirror } from './mirror.ts'
import type { PullRequest } from './pull-requests.ts'
import { type HeadAndBase, revisionsOf } from './revisions.ts'

interface Source {
  git: Git
  mirror: Mirror
  commits: Commits
  branches: readonly Branch[]
  noise: NoiseRules
  /** Revisions that were replaced before are left out. */
  since: number
}

/** Reads the changed files of each pull request and of its revisions, in the order of `pullRequests`. */
export async function readChanges(source: Source, pullRequests: readonly PullRequest[]): Promise<Changed[]> {
  const { git, commits, branches, noise, since } = source

  const texts = await readTexts(git, source, pullRequests)
  const revised = pullRequests.map((pr) => {
    const revisions = revisionsOf(commits, branches[pr.branch] as Branch, pr)
    return { pr, revisions: revisions.filter((_, index) => (revisions[index + 1]?.at ?? Infinity) > since) }
  })
  const files = await filesOf(
    source,
    revised.flatMap(({ pr, revisions }) => [pr, ...revisions]),
  )
  return revised.map(({ pr, revisions }) => {
    const closes = new Set(closingIssues(texts.get(pr.n) ?? [], []))
    const side = {
      author: loginAuthor(pr.author, DEFAULT_SETTINGS, { actor: null, assignee: null }),
      issues: closes,
      closes,
    }
    const heads = new Map<string, Head>()
    const of = (each: HeadAndBase): Head => {
      const head = heads.get(keyOf(each)) ?? headOf(files.get(keyOf(each)) ?? [], side, noise)
      heads.set(keyOf(each), head)
      return head
    }
    return { ...pr, last: of(pr), revisions: revisions.map((each) => ({ ...each, changes: of(each) })) }
  })
}

/** The changed files of each head, by `keyOf`. */
async function filesOf({ git, mirror, commits: { all } }: Source, heads: readonly HeadAndBase[]) {
  const { distinct, trees } = treesOf(all, heads)
  const files = new Map<string, FileChange[]>()
  const hash = lineHasher(new Uint8Array(KEY_BYTES))
  for await (const changes of changedFiles(git, trees, { hash, absent: mirror.absent }))
    files.set(keyOf(distinct[files.size] as HeadAndBase), changes)
  return files
}

/** Each head once, and the trees from which and to which it changes files. */
export function treesOf(all: readonly Commit[], heads: readonly HeadAndBase[]) {
  const distinct = [...new Map(heads.map((each) => [keyOf(each), each])).values()]
  const tree = (at: number) => (all[at] as Commit).tree
  return { distinct, trees: distinct.map(({ base, head }) => ({ from: tree(base), to: tree(head) })) }
}

export function keyOf({ head, base }: HeadAndBase): string {
  return `${base} ${head}`
}

/**
 * The messages of the own commits of each pull request, the oldest last, and before them that of its merge, which often is its
 * description. Titles and descriptions are not in git.
 */
export async function readTexts(
  git: Git,
  { commits: { all }, branches }: Pick<Source, 'commits' | 'branches'>,
  pullRequests: readonly PullRequest[],
): Promise<Map<number, string[]>> {
  const of = ({ own, merged }: PullRequest) => {
    const merge = merged && (branches[merged.branch] as Branch).chain[merged.position]
    return [...new Set([...(merge === null || merge === undefined ? [] : [merge]), ...own])].map(
      (at) => all[at] as Commit,
    )
  }
  const ids = new Set(pullRequests.flatMap((pr) => of(pr).map(({ sha }) => `${sha}\n`)))
  const messages = new Map<string, string>()
  const args = ['log', '--no-walk=unsorted', '--stdin', '-z', '--format=%H%n%B']
  for await (const record of ids.size === 0 ? [] : git.records(args, [...ids].join(''), '\0'))
    messages.set(record.slice(0, record.indexOf('\n')), record.slice(record.indexOf('\n') + 1))
  return new Map(pullRequests.map((pr) => [pr.n, of(pr).map(({ sha }) => messages.get(sha) ?? '')]))
}
