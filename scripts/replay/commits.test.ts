/** The history of a branch, as a replay reads it. */
import { expect, test } from 'vitest'
import { branchOf, type Commit } from './commits.ts'

const commit = (subject: string, parents: number[]): Commit => ({
  sha: '',
  tree: '',
  parents,
  authored: 0,
  committed: 0,
  author: '',
  email: '',
  subject,
})

test.each<[subject: string, chain: number[]]>([
  ['Merge pull request #1 from someone/branch', [0, 1, 3]],
  ["Merge remote-tracking branch 'origin/main'", [0, 2, 3]],
  ["Merge branch 'main' of github.com:acme/shop", [0, 2, 3]],
  ["Merge branch 'other' of github.com:acme/shop", [0, 1, 3]],
  ["Merge branch 'main' into main", [0, 1, 3]],
])('the branch leads to a merge through its own commits: %s', (subject, chain) => {
  const all = [commit('start', []), commit('first', [0]), commit('second', [0]), commit(subject, [1, 2])]
  const branch = branchOf({ all, byId: new Map() }, 'main', 3)
  expect(branch.chain).toEqual(chain)
  // The commit beside the chain arrives with the merge.
  expect(branch.arrival[chain.includes(1) ? 2 : 1]).toBe(2)
})
