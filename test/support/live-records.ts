/** Live records in memory, and what a check and the list of all collisions find among them: the rules of a comparison, without a database. */
import { checkActivities, checkProposal } from '../../src/engine/check/check.ts'
import { conclude } from '../../src/engine/check/conclude.ts'
import { computeOverlaps, overlapsOf, readLiveWork } from '../../src/engine/check/overlaps.ts'
import type { CheckContext, Source } from '../../src/engine/check/source.ts'
import { type ChangeOrigin, type DigestedFile, digestChanges } from '../../src/engine/lines/change.ts'
import type { AttributeRule } from '../../src/engine/lines/noise.ts'
import { LiveSet } from '../../src/engine/live-set.ts'
import type { LiveRecord } from '../../src/engine/record.ts'
import { outlineOf } from '../../src/engine/records/activity.ts'
import {
  newNotable,
  outlineOf as notableOutlineOf,
  type StoredNotable,
} from '../../src/engine/records/notable.ts'
import { Meter } from '../../src/vocabulary/clock.ts'
import { CreateActivity } from '../../src/vocabulary/contract/activity.ts'
import { CreateNotable } from '../../src/vocabulary/contract/notable.ts'
import { CheckOverlap } from '../../src/vocabulary/contract/overlap.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/vocabulary/contract/settings.ts'
import { comparedActivity } from './conclusion.ts'
import { hash } from './lines.ts'

type Row = ReturnType<typeof comparedActivity>
/** `pushed`: the files of its pull request. `ends_in`: the milliseconds until it ends. */
type Stored = Partial<Row> & { pushed?: object[]; ends_in?: number }

const NOW = new Date('2026-03-02T12:00:00.000Z')
const WORDS = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ben' }

/** `comparison_ms`: when a comparison ends. `given`: what is known besides live records. */
export function liveRecords(
  settings: Partial<Settings> = {},
  comparison_ms?: number,
  { noise_attributes = [], ...given }: Partial<Source> & { noise_attributes?: AttributeRule[] } = {},
) {
  const set = new LiveSet()
  const links: { branch: string; base_branch: string }[] = []
  const rows = new Map<string, Row>()
  const files = new Map<string, DigestedFile[]>()
  const since = new Map<string, DigestedFile[]>()
  const notables = new Map<string, StoredNotable>()
  const ended = new Set<string>()
  const ctx: CheckContext = {
    now: NOW,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    repo: { web_urls: ['https://github.com/acme/shop'], is_tracked: true, noise_attributes },
    caller: { meter: new Meter(comparison_ms), findIdentity: async () => ({ login: 'ada' }) },
    source: {
      liveSet: async () => set,
      activities: async (ids) => ids.toReversed().flatMap((id) => rows.get(id) ?? []),
      notables: async (ids) => ids.flatMap((id) => notables.get(id) ?? []),
      merged: async () => [],
      async *files(sides) {
        for (const each of sides) {
          const stored = files.get(each.id) ?? []
          if (stored.length > 0) yield { each, stored }
        }
      },
      since: async (id, other) => since.get(`${id} ${other}`),
      hasher: hash,
      reserved: async () => [],
      baseDirectory: async () => null,
      doneBy: async () => null,
      ...given,
    },
  }
  const digested = async (changes: object[], origin: ChangeOrigin): Promise<DigestedFile[]> => {
    const { scope } = CheckOverlap.parse({ scope: { changes } })
    const files = await digestChanges(ctx.caller.meter, scope?.changes ?? [], hash)
    return files.map((file) => ({ ...file, origin, base_sha: null }))
  }
  /** Adds an activity as a create does, and returns its id. `stored` overrides what only the service sets. */
  const activity = async (
    body: object = {},
    { pushed, ends_in = 1, ...stored }: Stored = {},
  ): Promise<string> => {
    const { scope, ...input } = CreateActivity.parse({ ...WORDS, ...body })
    const { changes = [], areas = [], paths = [] } = scope ?? {}
    const { id = `act_${String(rows.size).padStart(26, '0')}` } = stored
    const changed_files = await digested(changes, 'declared')
    const pushed_files = pushed ? await digested(pushed, 'pushed') : null
    const pr_number = input.pr_url === null ? null : Number(input.pr_url.split('/').at(-1))
    const given = {
      ...input,
      pr_number,
      scope: { areas, paths },
      changed_files,
      pushed_files,
      status: 'active',
      changes_complete: true,
    }
    const row = comparedActivity(id, { created_by: 'ada', ...given, ...stored } as Partial<Row>)
    rows.set(id, row)
    files.set(id, [...changed_files, ...(pushed_files ?? [])])
    set.replace(outlineOf({ ...row, ends_at: NOW.getTime() + ends_in }))
    return id
  }
  return {
    ctx,
    activity,
    notable: (body: object): string => {
      const note = {
        title: 'Frozen',
        summary: 'Until Friday.',
        importance: 'low',
        category: 'warning',
        ...body,
      }
      const input = CreateNotable.parse(note)
      const made = newNotable(input, { now: NOW, settings: ctx.settings, login: 'ada' })
      const row = { ...made, superseded_by: null, archived_at: null }
      notables.set(row.id, row)
      set.replace(notableOutlineOf(row))
      return row.id
    },
    /** Adds so many activities, and returns their ids. */
    activities: async (count: number, body: (index: number) => object) => {
      const ids: string[] = []
      for (let index = 0; index < count; index += 1) ids.push(await activity(body(index)))
      return ids
    },
    /** Adds so many activities that equal another one. */
    copies: (of: string, count: number) => {
      const row = rows.get(of) as Row
      for (let index = 0; index < count; index += 1)
        set.replace(outlineOf({ ...row, id: `${of}-${index}`, ends_at: NOW.getTime() + 1 }))
    },
    end: (id: string) => {
      ended.add(id)
      set.moveEnds([set.get(id) as LiveRecord], new Map([[id, NOW.getTime()]]), NOW.getTime())
    },
    live: () => ({
      activities: [...rows.values()].filter(({ id }) => !ended.has(id)),
      notes: [...notables.values()].filter(({ id }) => !ended.has(id)),
    }),
    /** What an activity has changed since it parted from another one. */
    parted: async (id: string, other: string, changes: object[]) => {
      since.set(`${id} ${other}`, await digested(changes, 'declared'))
    },
    link: (branch: string, base_branch: string) => {
      links.push({ branch, base_branch })
      set.replaceLinks(links)
    },
    check: async (body: object) => conclude(await checkProposal(ctx, CheckOverlap.parse(body))),
    checkActivity: async (id: string) => conclude(await checkActivities(ctx, [rows.get(id) as Row])),
    overlaps: async () => {
      const found = await computeOverlaps(ctx, await readLiveWork(ctx))
      return { ...overlapsOf(found, NOW), merge_order: found.merge_order }
    },
  }
}
