/** The notables of one clone (docs/contract/notables.md). */
import { changesAnything } from '../engine/records/activity.ts'
import * as form from '../engine/records/notable.ts'
import { labelKey } from '../vocabulary/contract/scope.ts'
import { Failure } from '../vocabulary/failure.ts'
import { newestFirst } from '../vocabulary/lists.ts'
import { given, type Handlers } from './call.ts'
import { pageOf, type Reader } from './clone-source.ts'

export function notableMethods({ files, person: login, settings }: Reader): Handlers {
  const all = (now: Date) => files.read().notables.map((each) => form.asOf(each, now))
  const change = (
    { id, now }: { id: string; now: Date },
    changed: (row: form.StoredNotable) => form.StoredNotable,
  ): Promise<form.StoredNotable> =>
    files.change(({ notables }, put) => {
      const stored = notables.find((each) => each.id === id)
      if (!stored) throw noSuchNotable(id)
      const notable = changed(form.asOf(stored, now))
      put({ notable })
      return notable
    })
  return {
    createNotable: async ({ input, now }) => {
      const made = form.newNotable(input, { now, settings, login })
      const notable = { ...made, superseded_by: null, archived_at: null }
      await files.change(({ notables }, put) => {
        const replaced = notables.filter(({ id }) => notable.supersedes.includes(id))
        form.requirePredecessors(input.supersedes, new Set(replaced.map(({ id }) => id)))
        for (const each of replaced) put({ notable: { ...archived(each, now), superseded_by: notable.id } })
        put({ notable })
      })
      return form.briefOf(notable)
    },
    listNotables: async ({ input, now }) => {
      const { status, importance, category } = input
      const area = input.area === undefined ? undefined : labelKey(input.area)
      const listed = all(now).filter(
        (each) =>
          each.status === status &&
          (importance === undefined || each.importance === importance) &&
          (category === undefined || each.category === category) &&
          (area === undefined || each.scope.areas.map(labelKey).includes(area)),
      )
      return pageOf(listed.sort(newestFirst), input, form.briefOf)
    },
    getNotable: async ({ id, now }) => {
      const notable = all(now).find((each) => each.id === id)
      if (!notable) throw noSuchNotable(id)
      return form.fullOf(notable)
    },
    updateNotable: async ({ id, input, now }) =>
      form.briefOf(
        await change({ id, now }, (row) => {
          form.requireChangeable(row, input, now)
          return changesAnything(row, given(input)) ? { ...row, ...given(input), updated_at: now } : row
        }),
      ),
    archiveNotable: async ({ id, now }) =>
      form.archivedOf(await change({ id, now }, (row) => archived(row, now))),
  }
}

function archived(row: form.StoredNotable, now: Date): form.StoredNotable {
  return row.status === 'archived' ? row : { ...row, status: 'archived', archived_at: now, updated_at: now }
}

function noSuchNotable(id: string): Failure {
  return new Failure('not_found', `no notable ${id} in this clone; deconflict notes shows them`)
}
