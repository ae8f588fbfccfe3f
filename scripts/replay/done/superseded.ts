/** Finds the pull requests that were closed without a merge because another brought their work: by merges, and by what people wrote. */
import { closingIssues } from '../../../src/server/line-verdicts/closing-issues.ts'
import type { Branch, Commit } from '../commits.ts'
import { wholeTree } from '../file-trees.ts'
import type { Git } from '../git.ts'
import type { Changed } from '../heads.ts'
import type { History } from '../history.ts'
import { mergeAll } from '../merge-tree.ts'
import { readMessages } from '../read-changes.ts'

export interface Superseded {
  pr: Changed
  by: Changed
}

/** A pull request, and a commit of its base branch to merge it with. */
interface Candidate {
  pr: Changed
  tip: Commit
}

/** Those of which a merge into their base branch leaves nothing when they end. */
export async function leavingNothing(
  git: Git,
  history: History,
  closed: readonly Changed[],
): Promise<Changed[]> {
  const empty = await unchanging(
    git,
    history,
    closed.map((pr) => ({ pr, tip: tipAt(history, pr) })),
  )
  return empty.map(({ pr }) => pr)
}

/** The merged pull request after which a merge of each leaves nothing, while it left something before. Leaves out those without one. */
export async function brought(git: Git, history: History, empty: readonly Changed[]): Promise<Superseded[]> {
  const { commits, branches, changed } = history
  const commitAt = ({ chain }: Branch, position: number) => commits.all[chain[position] as number] as Commit
  const candidates = empty.flatMap((pr) => {
    const branch = branches[pr.branch] as Branch
    const names = new Set(pr.last.files.map(({ path }) => path))
    return changed.flatMap((by) => {
      if (by === pr || !isMergedBeforeEnd(by, pr)) return []
      const { position } = by.merged
      if (
        position <= (branch.arrival[pr.base] as number) ||
        !by.last.files.some(({ path }) => names.has(path))
      )
        return []
      return { pr, by, tip: commitAt(branch, position), before: commitAt(branch, position - 1) }
    })
  })
  const after = await unchanging(git, history, candidates)
  const before = new Set(
    (
      await unchanging(
        git,
        history,
        after.map((each) => ({ ...each, of: each, tip: each.before })),
      )
    ).map(({ of }) => of),
  )
  const found = new Map(after.filter((each) => !before.has(each)).map((each) => [each.pr, each.by]))
  return [...found].map(([pr, by]) => ({ pr, by }))
}

const REPLACES =
  /\b(?:supersed(?:es?|ing)|replac(?:es?|ing|ement (?:of|for))|re-?opens?|redo of|continu(?:es|ation of)|salvages|duplicate of)\b[^.\n#]{0,30}#(\d{1,9})\b/gi

/** Those that a message of a merged pull request says to close, or to replace. The descriptions are in some histories only. */
export async function calledSuperseded(
  git: Git,
  { commits: { all }, branches, changed }: History,
  closed: readonly Changed[],
): Promise<Superseded[]> {
  const known = new Map(closed.map((pr) => [pr.n, pr]))
  const merged = changed.flatMap((by) => {
    const at = by.merged && branches[by.merged.branch]?.chain[by.merged.position]
    return at === null || at === undefined ? [] : [{ by, own: new Set([...by.own, at]) }]
  })
  const messages = await readMessages(git, all, merged)
  const found = new Map<Changed, Changed>()
  for (const { by, own } of merged) {
    const texts = [...own].map((at) => messages.get((all[at] as Commit).sha) ?? '')
    const replaced = texts.flatMap((text) => [...text.matchAll(REPLACES)].map(([, number]) => Number(number)))
    for (const number of [...closingIssues(texts, []), ...replaced]) {
      const pr = known.get(number)
      if (pr !== undefined && isMergedBeforeEnd(by, pr)) found.set(pr, by)
    }
  }
  return [...found].map(([pr, by]) => ({ pr, by }))
}

/** Into the same base branch. */
function isMergedBeforeEnd(by: Changed, pr: Changed): by is Changed & { merged: object } {
  return by.merged !== null && by.merged.branch === pr.branch && by.merged.at <= pr.ended
}

/** Those that change nothing when they are merged. */
async function unchanging<Each extends Candidate>(
  git: Git,
  { commits: { all } }: Pick<History, 'commits'>,
  candidates: readonly Each[],
): Promise<Each[]> {
  const merged = await mergeAll(
    git,
    candidates.map(({ pr: { base, head }, tip }) => ({
      base: wholeTree((all[base] as Commit).tree),
      ours: wholeTree(tip.tree),
      theirs: wholeTree((all[head] as Commit).tree),
    })),
  )
  return candidates.filter(({ pr: { base, head }, tip }, at) => {
    const isChange = (all[base] as Commit).tree !== (all[head] as Commit).tree
    return isChange && merged[at]?.conflicts.size === 0 && merged[at]?.tree === wholeTree(tip.tree)
  })
}

/** The newest commit of the base branch that was made before the pull request ended, else its first one. */
function tipAt({ commits: { all }, branches }: History, { branch, ended }: Changed): Commit {
  const { chain } = branches[branch] as Branch
  const tip = chain.findLast((at) => (all[at] as Commit).committed <= ended) ?? (chain[0] as number)
  return all[tip] as Commit
}
