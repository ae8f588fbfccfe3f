/** Which branches of a clone are built on which, by their commits (docs/contract/overlap.md#stacks). */
import type { Git } from '../git/git.ts'

/** The commits of all branches that are looked at, the newest first. */
const COMMITS_MAX = 5000

export interface Head {
  branch: string
  sha: string
}

/** One call of git for all branches. `base`: the head of the base branch. */
export async function readLinks(
  git: Git,
  heads: readonly Head[],
  base: string | undefined,
): Promise<{ branch: string; base_branch: string }[]> {
  const shas = new Set(heads.flatMap(({ sha }) => (sha === base ? [] : sha)))
  if (shas.size < 2 || base === undefined) return []
  const limits = ['--parents', `--max-count=${COMMITS_MAX}`]
  const graph = await git.output(['rev-list', ...limits, ...shas, `^${base}`, '--'])
  return linksIn(graph ?? '', heads)
}

/** A branch is built on those whose heads are below its own. `graph`: a line for each commit, with its parents. Pure. */
export function linksIn(graph: string, heads: readonly Head[]): { branch: string; base_branch: string }[] {
  const parents = new Map<string, string[]>()
  for (const line of graph.split('\n')) {
    const [sha = '', ...of] = line.split(' ')
    parents.set(sha, of)
  }
  return heads.flatMap(({ branch, sha }) => {
    const below = commitsBelow(sha, parents)
    // Two branches with one head are side by side: what nobody has committed yet can conflict.
    return heads.flatMap((each) =>
      each.branch !== branch && below.has(each.sha) ? [{ branch, base_branch: each.branch }] : [],
    )
  })
}

function commitsBelow(sha: string, parents: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const below = new Set<string>()
  const waiting = [...(parents.get(sha) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (below.has(next) || !parents.has(next)) continue
    below.add(next)
    waiting.push(...(parents.get(next) as readonly string[]))
  }
  return below
}
