/** What a repository was shown, and what became of it (docs/contract/signal.md); and which pairs of a pull request a comment shows, and why not (docs/contract/publishing.md#why). */

import type { Conclusion } from '../../engine/check/source.ts'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { RecentPair, Signal, SignalPeriod, Why } from '../../vocabulary/contract/signal.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { type HiddenBecause, OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'
import { listCompared } from '../records/activities/compared-store.ts'
import { countComments } from '../records/pull-requests/store.ts'
import type { PullRequestRow } from '../records/pull-requests/table.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { MUTE_LABEL } from './comment.ts'
import { checkPullRequest, type Facts, readBudget, readFacts } from './read.ts'
import { buildReport, type Report } from './report.ts'
import { branchOf, findAuthor, numberOf } from './sides.ts'
import { countShown, listShown } from './store.ts'
import type { PairRow, Slot } from './table.ts'
import { inOrderOfComment, isIgnored, isMuted } from './who-is-told.ts'

/** Throws `not_found` if no such pull request is open and tracked. */
export async function explainPullRequest(ctx: RepoContext, number: number): Promise<Why> {
  const check = await checkPullRequest(ctx, number, null)
  const pr = check?.subject.pr
  if (!check || !pr)
    throw new Failure(
      'not_found',
      `pull_request: #${number} is not open, or not tracked in this repository`,
      { param: 'pull_request' },
    )
  const facts = await readFacts(ctx, check)
  const others = await listCompared(ctx.db, ctx.repo.id, facts.conclusion?.other_base ?? [])
  const apart = others.map((record) => ({
    activity_id: record.id,
    title: record.is_by_newcomer ? null : record.title,
    actor: findAuthor(record),
    pr_url: record.pr_url,
    ...{ consequence: null, severity: null, is_shown: false },
    ...{ reason: 'other_base' as const, decided_by: `base_branch: ${pr.base_branch}` },
  }))
  const found = facts.conclusion === null ? [] : explain(pr, facts.conclusion, facts)
  return { is_commented: pr.comment_id !== null, pairs: [...found, ...apart] }
}

function explain(pr: PullRequestRow, conclusion: Conclusion, facts: Facts): Why['pairs'] {
  const { comment } = facts.settings
  const pairs = facts.ledger?.pairs ?? new Map()
  const { report, candidates } = buildReport(pr, conclusion, { ...facts, pairs })
  const silence = silenceOf(pr, report, comment)
  const merged = mergedIn(report, conclusion.done_by).map((each) => ({
    ...each,
    ...{ activity_id: null, severity: 'high' as const, is_shown: silence === null },
    ...{ reason: silence, decided_by: silence && decidedBy(silence, facts, pr) },
  }))
  const ordered = inOrderOfComment(candidates)
  const named = ordered.filter(({ suppression }) => suppression === null).slice(0, OTHERS_SHOWN_MAX)
  const live = ordered.map((each) => {
    const { record, author, title, actor, consequence, severity, suppression } = each
    const isCounted = suppression === null && silence === null && !named.includes(each)
    const reason = suppression ?? silence ?? (isCounted ? 'over_budget' : null)
    return {
      ...{ activity_id: record.id, title, actor, pr_url: record.pr_url, consequence, severity },
      is_shown: reason === null,
      reason,
      decided_by: isCounted
        ? `named in a comment: ${OTHERS_SHOWN_MAX}`
        : suppression === 'bot'
          ? `login: ${author}`
          : reason && decidedBy(reason, facts, pr),
    }
  })
  return [...merged, ...live]
}

/** The merged pull requests that the comment names because they have the lines, the numbers or the parents of this one. */
function mergedIn({ done, taken }: Report, done_by: Conclusion['done_by']) {
  const numbers = taken.map(({ url }) => ({
    ...{ title: null, actor: null, pr_url: url, consequence: 'same_number' as const },
  }))
  if (done === null || done_by === null) return numbers
  const { title, author, is_by_newcomer } = done_by
  const same = { title: is_by_newcomer ? null : title, actor: author, pr_url: done.url }
  return [{ ...same, consequence: 'same_work' as const }, ...numbers]
}

/** Why nothing is shown at all on the pull request; null if something may be. */
function silenceOf(
  pr: PullRequestRow,
  { earns_comment }: Report,
  comment: Settings['comment'],
): HiddenBecause | null {
  if (isIgnored(pr, comment)) return 'bot'
  if (isMuted(pr)) return 'muted'
  if (comment.mode !== 'on') return 'shadow'
  return pr.comment_id === null && !earns_comment ? 'no_event' : null
}

function decidedBy(reason: HiddenBecause, { settings, repo }: Facts, pr: PullRequestRow): string {
  const { comment } = settings
  const isReadOnly = repo.settings_layers.some(({ source }) => source === 'read_only')
  const threshold = pr.is_draft ? 'draft_min_severity' : 'min_severity'
  const deciding: Record<HiddenBecause, string> = {
    below_threshold: `comment.${threshold}: ${comment[threshold]}`,
    stale: `comment.stale_after_days: ${comment.stale_after_days}`,
    bot: `comment.on_bots: ${comment.on_bots}`,
    same_author: `comment.same_author: ${comment.same_author}`,
    declared_by_glob: 'risk below high',
    other_side: `comment.audience: ${comment.audience}`,
    over_budget: `comment.budget: ${comment.budget}`,
    muted: [pr.is_muted && MUTE_LABEL, pr.is_muted_by_comment && '/deconflict mute']
      .filter(Boolean)
      .join(', '),
    shadow: `comment.mode: ${comment.mode}${isReadOnly ? ', because the App may only read' : ''}`,
    no_event: pr.comment_deleted_at
      ? `comment deleted: ${pr.comment_deleted_at.toISOString()}`
      : `last event: ${pr.own_event_at?.toISOString() ?? 'none'}`,
    other_base: `base_branch: ${pr.base_branch}`,
  }
  return deciding[reason]
}

const LISTED_MAX = 20
const DAYS_MAX = 30

export async function getSignal(ctx: RepoContext): Promise<Signal> {
  const { db, now, repo, settings } = ctx
  const since = later(now, -DAYS_MAX * DAY_MS)
  const shown = await listShown(db, repo.id, { since, limit: LISTED_MAX })
  return {
    mode: settings.comment.mode,
    budget: await readBudget(ctx),
    periods: [await countPeriod(ctx, 7), await countPeriod(ctx, DAYS_MAX)],
    recent: shown.map((row) => recentOf(row, repo.web_urls[0] ?? '')),
  }
}

async function countPeriod({ db, now, repo }: RepoContext, days: number): Promise<SignalPeriod> {
  const since = later(now, -days * DAY_MS)
  const { by_outcome, by_consequence } = await countShown(db, { repo_id: repo.id, since })
  const { same_work, same_number, conflict, possible } = by_consequence
  const shown = Object.values(by_outcome).reduce((sum, count) => sum + count, 0)
  const { posted, edited, up, down } = await countComments(db, repo.id, since)
  return {
    days,
    pairs: { shown, ...by_outcome, by_consequence: { same_work, same_number, conflict, possible } },
    comments: { posted, edited },
    feedback: { up, down },
  }
}

function recentOf(row: PairRow, web_url: string): RecentPair {
  return {
    sides: [sideOf(row, 'a', web_url), sideOf(row, 'b', web_url)],
    consequence: row.consequence,
    confidence: row.confidence,
    files: row.files.map(({ path, a, b }) => ({ path, line_ranges: [a, b] })),
    outcome: row.outcome,
    seen_at: row.seen_at.toISOString(),
  }
}

function sideOf(row: PairRow, slot: Slot, web_url: string): RecentPair['sides'][number] {
  const number = numberOf(row[slot])
  return {
    pr_url: number === null ? null : `${web_url}/pull/${number}`,
    branch: branchOf(row[slot]),
    author: row.sides[slot].author,
    shown_at: row[`${slot}_shown_at`]?.toISOString() ?? null,
  }
}
