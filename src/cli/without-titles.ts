/** Removes from an overlap what other people wrote: `--no-titles`. Logins, pull request numbers, ids and own paths are left. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { IssueClaim } from '../vocabulary/contract/issue.ts'
import type { OverlapResult as Overlap, OverlapBrief } from '../vocabulary/contract/overlap.ts'
import { withoutNames } from '../vocabulary/finding.ts'
import { pullRequestName } from '../vocabulary/names.ts'
import type { Workspace } from './workspace.ts'

/** An option of commands that show overlap. */
export interface TitlesOption {
  /** False with `--no-titles`. */
  titles?: boolean
}

const REUSE_REASONS = {
  activity: 'Recently merged, with an overlapping scope.',
  notable: 'A pattern to follow.',
}

/** The overlap with only such paths as the caller named or has in the working tree. */
export function overlapWithoutTitles(overlap: Overlap, workspace: Workspace): Overlap {
  const isInTree = treeTest(workspace)
  return {
    ...overlap,
    // The reason of a check without overlap is about the caller's own branch.
    reason: overlap.severity === null ? overlap.reason : `Overlap of ${overlap.severity} severity.`,
    // Only the title of a notable stands in it.
    recommended_action: overlap.recommended_action.replace(/“[^”]*”/g, overlap.related_notable_ids[0] ?? ''),
    reuse_opportunities: overlap.reuse_opportunities.map((each) =>
      // That of a merged pull request is made of our words.
      each.type === 'merged'
        ? { ...each, title: each.id }
        : { ...each, title: each.id, summary: '', url: null, reason: REUSE_REASONS[each.type] },
    ),
    matches: overlap.matches.map((match) => {
      const own = match.paths.filter(({ yours, example }) => yours === example || isInTree(example))
      const isOwn = (path: string) => isInTree(path) || own.some(({ example }) => example === path)
      return {
        ...withoutName(match),
        findings: withoutNames(match.findings, isOwn),
        paths: own.map((path) => ({ ...path, yours: path.example, theirs: path.example })),
      }
    }),
  }
}

/** The brief overlap, in which pull request numbers and ids replace titles. */
export function briefWithoutTitles(overlap: OverlapBrief | null, workspace: Workspace): OverlapBrief | null {
  if (overlap === null) return null
  const isInTree = treeTest(workspace)
  return {
    ...overlap,
    matches: overlap.matches.map((match) => ({
      ...withoutName(match),
      findings: withoutNames(match.findings, isInTree),
      example: match.example !== null && isInTree(match.example) ? match.example : null,
    })),
  }
}

function withoutName<Match extends { id: string; pr_url: string | null }>(match: Match) {
  const title = pullRequestName(match.pr_url) ?? match.id
  return { ...match, title, actor: null, branch: null, worktree: null }
}

/** The issue of an activity, whose holder has only a number or an id. */
export function issueWithoutTitles(issue: IssueClaim | null): IssueClaim | null {
  if (issue?.holder == null) return issue
  const { activity_id, pr_url } = issue.holder
  const actor = pullRequestName(pr_url) ?? activity_id
  return { ...issue, holder: { ...issue.holder, actor, agent: null, branch: null } }
}

function treeTest({ tree }: Workspace): (path: string) => boolean {
  return (path) => tree !== null && existsSync(join(tree.root, path))
}
