/** What carries out each operation: verbs, and the forms in which their results are shown. A missing handler does not compile. */
import * as activities from '../activities/activities.ts'
import { isLive } from '../activities/lifecycle.ts'
import * as activityForm from '../activities/representation.ts'
import type { ActivityRow } from '../activities/table.ts'
import type { RepoContext } from '../context/repo.ts'
import * as notables from '../notables/notables.ts'
import * as notableForm from '../notables/representation.ts'
import type { NotableRow } from '../notables/table.ts'
import { checkOverlap, overlapBriefOf, overlapOf } from '../overlap/check.ts'
import { listOverlaps } from '../overlap/overlaps.ts'
import type { InputOf, OperationName, OutputOf } from './contract.ts'

/** One that answers at once. `id` is empty where the path has none. */
type Handler<Name extends OperationName> = (
  ctx: RepoContext,
  input: InputOf<Name>,
  id: string,
) => Promise<OutputOf<Name>>

/**
 * A creation in its two steps, because the second has to come after the commit of the first. `create` runs alone or in
 * one transaction with an idempotency key; `answer` shows the record, which `find` reads again where a replay needs it.
 */
export interface Creation<Name extends OperationName, Row extends { id: string }> {
  /** Throws what goes before a value that is wrong, though only the repository tells (contract §3, order). */
  refuse?(ctx: RepoContext, sent: { [Field in keyof InputOf<Name>]?: unknown }): void
  create(ctx: RepoContext, input: InputOf<Name>): Promise<Row>
  find(ctx: RepoContext, id: string): Promise<Row>
  answer(ctx: RepoContext, row: Row): Promise<OutputOf<Name>>
}

interface Creations {
  createActivity: Creation<'createActivity', ActivityRow>
  createNotable: Creation<'createNotable', NotableRow>
}

export const CREATIONS: Creations = {
  createActivity: {
    create: activities.createActivity,
    find: activities.getActivity,
    /**
     * Two creates at the same time never both miss each other: each is committed before its own overlap is read,
     * by statements that take new snapshots on the primary. Whichever commits second reads after both commits.
     */
    answer: async (ctx, activity) => ({
      activity: activityForm.fullOf(activity),
      overlap: await overlapOf(ctx, activity),
    }),
  },
  createNotable: {
    refuse: (ctx, { category }) => notables.requireAllowed(ctx, category),
    create: notables.createNotable,
    find: notables.getNotable,
    answer: async (_, notable) => notableForm.briefOf(notable),
  },
}

export const HANDLERS: { [Name in Exclude<OperationName, keyof Creations>]: Handler<Name> } = {
  listActivities: (ctx, input) => activities.listActivities(ctx, input),
  checkOverlap: (ctx, input) => checkOverlap(ctx, input),
  getActivity: async (ctx, _, id) => {
    const activity = await activities.getActivity(ctx, id)
    return {
      ...activityForm.fullOf(activity),
      pr_reminder_due: activities.isReminderDue(ctx, activity),
      overlap: await overlapNow(ctx, activity),
    }
  },
  updateActivity: async (ctx, input, id) => {
    const activity = await activities.updateActivity(ctx, id, input)
    return { ...activityForm.briefOf(activity), overlap: await overlapNow(ctx, activity) }
  },
  heartbeatActivity: async (ctx, _, id) => {
    const activity = await activities.heartbeatActivity(ctx, id)
    return { ...activityForm.heartbeatOf(activity), overlap: await overlapNow(ctx, activity) }
  },
  archiveActivity: async (ctx, _, id) => activityForm.archivedOf(await activities.archiveActivity(ctx, id)),
  listOverlaps: (ctx) => listOverlaps(ctx),
  listNotables: (ctx, input) => notables.listNotables(ctx, input),
  getNotable: async (ctx, _, id) => notableForm.fullOf(await notables.getNotable(ctx, id)),
  updateNotable: async (ctx, input, id) => notableForm.briefOf(await notables.updateNotable(ctx, id, input)),
  archiveNotable: async (ctx, _, id) => notableForm.archivedOf(await notables.archiveNotable(ctx, id)),
  getSettings: async ({ settings, settings_source, settings_errors }) => ({
    ...settings,
    source: settings_source,
    errors: settings_errors,
  }),
}

async function overlapNow(ctx: RepoContext, activity: ActivityRow) {
  return isLive(activity.status) ? overlapBriefOf(ctx, activity) : null
}
