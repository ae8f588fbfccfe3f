/** What became of the pairs that a repository was shown. */
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import type { RecentPair, Signal, SignalPeriod } from '../../../vocabulary/contract/signal.ts'
import { countComments } from '../../records/pull-requests/lists-store.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { readBudget } from '../../tell/read.ts'
import { branchOf, numberOf } from '../../tell/sides.ts'
import { countShownSince, listShown } from '../../tell/store.ts'
import type { PairRow, Slot } from '../../tell/table.ts'

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
  const { by_outcome, by_consequence } = await countShownSince(db, repo.id, since)
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
