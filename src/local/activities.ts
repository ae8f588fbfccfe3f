/** The activities of one clone: the verbs of the service over files (docs/contract/activities.md). */
import { checkActivities } from '../engine/check/check.ts'
import { briefOf, conclude } from '../engine/check/conclude.ts'
import { listInBase, listInFiles, reservationOf } from '../engine/check/next-number.ts'
import type { StoredFile } from '../engine/check/source.ts'
import { digestChanges, keepStored } from '../engine/lines/change.ts'
import * as form from '../engine/records/activity.ts'
import {
  type ActivityContext,
  asOf,
  changesOf,
  heartbeat,
  newActivity,
  notLive,
  transitionTo,
} from '../engine/records/activity-lifecycle.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { Meter } from '../vocabulary/clock.ts'
import { Failure } from '../vocabulary/failure.ts'
import { newestFirst } from '../vocabulary/lists.ts'
import { given, type Handlers } from './call.ts'
import type { Clone } from './clone.ts'
import { listRows, type Reader, reservedIn, withLookedAt } from './clone-source.ts'
import { issueIn, laterSince } from './issues.ts'
import { withEncodedDigest } from './record-files.ts'
import { type LocalWork, NO_FIELDS } from './work.ts'

export function activityMethods(reader: Reader): Handlers {
  const { files, root, person, web_url, hasher, settings, checkedOut } = reader
  const repo = { web_urls: [web_url] }
  const contextAt = (now: Date): ActivityContext => ({ now, settings, repo, login: person })
  const isCheckedOut = (branch: string | null) => branch !== null && branch === checkedOut()
  const digest = (changes: Parameters<typeof digestChanges>[1]) =>
    digestChanges(new Meter(), changes, hasher())
  /** Changes declared work. Throws `not_found`, and `invalid_transition` for what git shows, which cannot be changed. */
  const change = async (
    id: string,
    now: Date,
    changed: (work: LocalWork, all: readonly LocalWork[]) => LocalWork,
  ): Promise<LocalWork> => {
    const isDeclared = files.read().work.some(({ activity }) => activity.id === id)
    if (!isDeclared && (await reader.readAll(now)).work.has(id))
      throw new Failure(
        'invalid_transition',
        `${id} is what git shows, which cannot be changed; declare your work with deconflict start`,
      )
    return files.change(({ work }, put) => {
      const stored = work.find(({ activity }) => activity.id === id)
      if (!stored) throw noSuch(id)
      const next = changed({ ...stored, activity: asOf(stored.activity, now) }, work)
      put({ work: next })
      return next
    })
  }
  const checked = async (work: LocalWork, now: Date) => {
    const { scope, changed_files: changes } = work.activity
    const clone = await reader.readFor({ ...scope, changes }, now)
    // Git may have given its branches other names since.
    const { activity } = clone.work.get(work.activity.id) ?? work
    return { clone, conclusion: await checkActivities(reader.contextOf(clone, now), [activity]) }
  }
  const brief = async (work: LocalWork, now: Date) =>
    isLive(work.activity.status) ? briefOf((await checked(work, now)).conclusion) : null
  const find = async (id: string, now: Date): Promise<{ clone: Clone; work: LocalWork }> => {
    const clone = await reader.readAll(now)
    const work = clone.work.get(id)
    if (!work) throw noSuch(id)
    return { clone, work }
  }
  return {
    createActivity: async ({ input, now, idempotency_key = null }) => {
      const context = contextAt(now)
      const changed = await digest(input.scope.changes)
      const work = await files.change((records, put) => {
        const isRepeated = (each: LocalWork) =>
          idempotency_key !== null && each.idempotency_key === idempotency_key
        const made: LocalWork = records.work.find(isRepeated) ?? {
          kind: 'declared',
          activity: { ...NO_FIELDS, ...newActivity(context, input, changed), worktree: root },
          files: changed.map((file) => ({ ...file, origin: 'declared' })),
          reserved: [],
          issue_since: laterSince(records.work, input.issue, now),
          idempotency_key,
          had_branch: isCheckedOut(input.branch),
        }
        put({ work: made })
        return made
      })
      const { clone, conclusion } = await checked(work, now)
      const overlap = withLookedAt(conclude(conclusion), clone.looked_at)
      const issue = await form.claimOf(work.activity, (number) => issueIn(clone, number, { ...reader, now }))
      return { activity: form.fullOf(work.activity), overlap, issue }
    },
    updateActivity: async ({ id, input, now }) => {
      const digested = input.scope && (await digest(input.scope.changes))
      const work = await change(id, now, (before, all) => {
        const { activity: row } = before
        const changed = digested && keepStored(digested, before.files)
        const fields = given(changesOf(contextAt(now), row, { input, files: changed }))
        const next = changed?.map((file) => ({ ...file, origin: 'declared' as const }))
        const linesOf = (files: readonly StoredFile[]) => files.map(withEncodedDigest)
        const isSame = !form.changesAnything(linesOf(before.files), linesOf(next ?? before.files))
        const updated_at = isSame && form.isHeartbeat(row, fields) ? row.updated_at : now
        const activity = { ...row, ...fields, ...(input.scope && { declared_at: now }), updated_at }
        const issue_since =
          activity.issue === row.issue ? before.issue_since : laterSince(all, activity.issue, now)
        const is_here = isCheckedOut(activity.branch)
        if (is_here) activity.worktree = root
        const had_branch = before.had_branch || is_here
        return { ...before, activity, issue_since, had_branch, ...(next && { files: next }) }
      })
      return { ...form.briefOf(work.activity), overlap: await brief(work, now) }
    },
    heartbeatActivity: async ({ id, now }) => {
      const work = await change(id, now, (before) => {
        const { activity } = before
        if (!isLive(activity.status)) throw notLive(activity)
        return { ...before, activity: { ...activity, ...heartbeat(contextAt(now), activity) } }
      })
      return { ...form.heartbeatOf(work.activity), overlap: await brief(work, now) }
    },
    archiveActivity: async ({ id, now }) => {
      const work = await change(id, now, (before) => {
        const { activity } = before
        if (activity.status === 'archived') return before
        const archived = transitionTo(contextAt(now), 'archived')
        return { ...before, activity: { ...activity, ...archived, updated_at: now } }
      })
      return form.archivedOf(work.activity)
    },
    getActivity: async ({ id, now }) => {
      const { clone, work } = await find(id, now)
      return {
        ...form.fullOf(work.activity),
        pr_reminder_due: false,
        drift: null,
        overlap: await brief(work, now),
        issue: await form.claimOf(work.activity, (number) => issueIn(clone, number, { ...reader, now })),
      }
    },
    listActivities: async ({ input, now }) => {
      const { work } = await reader.readAll(now)
      return listRows([...work.values()].map(({ activity }) => activity).sort(newestFirst), input)
    },
    reserveNumber: async ({ id, input, now }) => {
      const { clone, work } = await find(id, now)
      const { activity } = work
      if (!isLive(activity.status)) throw notLive(activity)
      const { directory } = input
      const ctx = reader.contextOf(clone, now)
      const inBase = await listInBase(ctx, { directory, base_branch: activity.base_branch })
      const inFiles = await listInFiles(ctx, directory)
      return files.change((records, put) => {
        const live = records.work.filter((each) => isLive(asOf(each.activity, now).status))
        const own = live.find((each) => each.activity.id === id)
        if (!own) throw notLive(activity)
        const reserved = live.flatMap((each) => reservedIn(each, directory))
        const taken = { directory, inBase, inFiles, reserved }
        const { is_repeated, ...reservation } = reservationOf(id, taken)
        const others = own.reserved.filter((each) => each.directory !== directory)
        if (!is_repeated)
          put({ work: { ...own, reserved: [...others, { directory, number: reservation.number }] } })
        return reservation
      })
    },
  }
}

function noSuch(id: string): Failure {
  return new Failure('not_found', `no activity ${id} in this clone; deconflict list shows them`)
}
