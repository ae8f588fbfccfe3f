/** How often the comments of a repository were right. */
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { GetSignal, RecentPair, Signal } from '../../vocabulary/contract/signal.ts'
import { countPullRequests, readBudget } from '../decision/budget.ts'
import * as counts from '../ledger/counts-store.ts'
import { branchOf, kindOf, numberOf, type Slot } from '../ledger/pair.ts'
import { monthsOf, pairCountsOf, precisionOf } from '../ledger/precision.ts'
import type { PairRow } from '../ledger/table.ts'
import type { RepoContext } from '../repositories/repo.ts'

const LISTED_MAX = 20

export async function getSignal(ctx: RepoContext, { days }: GetSignal): Promise<Signal> {
  const { db, now, repo, settings } = ctx
  const since = later(now, -days * DAY_MS)
  const { pull_requests, commented, thumbs_up, thumbs_down } = await countPullRequests(ctx, days)
  const pairs = pairCountsOf(await counts.countShownSince(db, repo.id, since))
  const done = pairCountsOf(await counts.countDoneSince(db, repo.id, since))
  const listed = { since, limit: LISTED_MAX }
  const shown = await counts.listShown(db, repo.id, listed)
  return {
    days,
    mode: settings.comment.mode,
    budget: await readBudget(ctx),
    pull_requests,
    commented,
    pairs,
    precision: precisionOf(pairs),
    done: { shown: done.shown, given_up: done.given_up, merged: done.wrong },
    noise: await counts.countNoise(db, repo.id, since),
    hot_files: await counts.listHotFiles(db, repo.id, listed),
    recorded: await counts.countRecorded(db, repo.id, since),
    feedback: { up: thumbs_up, down: thumbs_down },
    months: monthsOf(await counts.countByMonth(db, repo.id)),
    recent: shown.map((row) => recentOf(row, repo.web_urls[0] ?? '')),
  }
}

function recentOf(row: PairRow, web_url: string): RecentPair {
  return {
    sides: [sideOf(row, 'first', web_url), sideOf(row, 'second', web_url)],
    kind: kindOf(row),
    verdict: row.files.length > 0 ? 'conflict' : null,
    confidence: row.confidence,
    duplicate: row.is_duplicate,
    files: row.files.map(({ path, first_lines, second_lines }) => ({
      path,
      line_ranges: [first_lines, second_lines],
    })),
    outcome: row.outcome,
    seen_at: row.seen_at.toISOString(),
  }
}

function sideOf(row: PairRow, slot: Slot, web_url: string): RecentPair['sides'][number] {
  const number = numberOf(row[slot])
  return {
    pr_url: number === null ? null : `${web_url}/pull/${number}`,
    branch: branchOf(row[slot]),
    author: row[`${slot}_author`],
    shown_at: row[`${slot}_shown_at`]?.toISOString() ?? null,
  }
}
