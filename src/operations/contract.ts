/** Every operation of the service as data: what REST, OpenAPI and the other surfaces are derived from (specification §4). */
import { z } from 'zod'
import {
  Activity,
  ActivityBrief,
  ArchivedActivity,
  CreateActivity,
  Heartbeat,
  ListActivities,
  UpdateActivity,
} from '../activities/activity.ts'
import type { IdPrefix } from '../base/id.ts'
import { SettingsView } from '../context/settings.ts'
import {
  ArchivedNotable,
  CreateNotable,
  ListNotables,
  Notable,
  NotableBrief,
  UpdateNotable,
} from '../notables/notable.ts'
import { CheckOverlap, OverlapBrief, OverlapResult, Overlaps } from '../overlap/overlap.ts'

export interface Operation {
  method: 'GET' | 'POST' | 'PATCH'
  /** Below `/repos/{owner}/{repo}`. */
  path: string
  /** The right to the repository that the caller needs. A check reads, whatever its method. */
  access: 'read' | 'write'
  /** Kind of the record that `{id}` names, where the path has one. */
  record: Extract<IdPrefix, 'act' | 'ntb'> | null
  /** What is sent: the query of a GET, else the body. */
  input: z.ZodObject
  output: z.ZodObject
  status: 200 | 201
  /** Whether `Idempotency-Key` is honoured. */
  is_idempotent: boolean
  /** Whether a call with this input has to know the user behind the token, and not only what the token may do. */
  needs_identity: (input: Record<string, unknown>) => boolean
  summary: string
  description: string
}

const nothing = z.strictObject({})

const defaults = {
  record: null,
  input: nothing,
  status: 200,
  is_idempotent: false,
  needs_identity: (): boolean => false,
} as const

/** Keeps the exact schemas in the type, and fills in what most operations share. */
function operation<const Given extends Partial<Operation> & Omit<Operation, keyof typeof defaults>>(
  given: Given,
): Omit<typeof defaults, keyof Given> & Given {
  return { ...defaults, ...given }
}

function page<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item).meta({ description: 'The newest first.' }),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `cursor` for the next page; null on the last.' }),
  })
}

const CreatedActivity = z
  .strictObject({
    activity: Activity.meta({ description: 'The record, as it is stored.' }),
    overlap: OverlapResult.meta({ description: 'What it overlaps with, itself left out.' }),
  })
  .meta({ id: 'CreatedActivity' })

/** Null once the activity is no longer live. */
const overlapNow = {
  overlap: OverlapBrief.nullable().meta({ description: 'As of now; null once the activity is not live.' }),
}

export const OPERATIONS = {
  listActivities: operation({
    method: 'GET',
    path: '/activity',
    access: 'read',
    input: ListActivities,
    output: page(ActivityBrief).meta({ id: 'ActivityPage' }),
    summary: 'List activities',
    description: 'The newest first. Archived and expired ones are left out unless `status` asks for them.',
  }),
  checkOverlap: operation({
    method: 'POST',
    path: '/activity/check',
    access: 'read',
    input: CheckOverlap,
    output: OverlapResult,
    summary: 'Check for overlap',
    description:
      'Compares what you intend to do with the live activities and active notables. Creates nothing, blocks nothing.',
  }),
  createActivity: operation({
    method: 'POST',
    path: '/activity',
    access: 'write',
    input: CreateActivity,
    output: CreatedActivity,
    status: 201,
    is_idempotent: true,
    needs_identity: () => true,
    summary: 'Create an activity',
    description: 'Declares work that begins, and answers what it overlaps with.',
  }),
  getActivity: operation({
    method: 'GET',
    path: '/activity/{id}',
    access: 'read',
    record: 'act',
    output: Activity.extend({
      pr_reminder_due: z
        .boolean()
        .meta({ description: 'Time to open a draft pull request, so that others see the work.' }),
      ...overlapNow,
    }).meta({ id: 'RetrievedActivity' }),
    summary: 'Retrieve an activity',
    description: 'With the overlap as of now.',
  }),
  updateActivity: operation({
    method: 'PATCH',
    path: '/activity/{id}',
    access: 'write',
    record: 'act',
    input: UpdateActivity,
    output: ActivityBrief.extend(overlapNow).meta({ id: 'UpdatedActivity' }),
    needs_identity: ({ status }: { status?: unknown }) => status === 'archived',
    summary: 'Update an activity',
    description: 'Changes the fields that are sent, and no others. Answers the overlap as of now.',
  }),
  heartbeatActivity: operation({
    method: 'POST',
    path: '/activity/{id}/heartbeat',
    access: 'write',
    record: 'act',
    output: Heartbeat.extend(overlapNow).meta({ id: 'HeartbeatAnswer' }),
    summary: 'Send a heartbeat',
    description: 'Puts the expiry off, and tells of collisions that came up since.',
  }),
  archiveActivity: operation({
    method: 'POST',
    path: '/activity/{id}/archive',
    access: 'write',
    record: 'act',
    output: ArchivedActivity,
    needs_identity: () => true,
    summary: 'Archive an activity',
    description: 'Archiving an archived activity answers its first `archived_at` again.',
  }),
  listOverlaps: operation({
    method: 'GET',
    path: '/overlaps',
    access: 'read',
    output: Overlaps,
    summary: 'List all collisions',
    description: 'Every collision between two live activities, each once. Own and stacked work is left out.',
  }),
  listNotables: operation({
    method: 'GET',
    path: '/notables',
    access: 'read',
    input: ListNotables,
    output: page(NotableBrief).meta({ id: 'NotablePage' }),
    summary: 'List notables',
    description: 'The newest first; active ones unless `status` asks for others.',
  }),
  createNotable: operation({
    method: 'POST',
    path: '/notables',
    access: 'write',
    input: CreateNotable,
    output: NotableBrief,
    status: 201,
    is_idempotent: true,
    needs_identity: () => true,
    summary: 'Create a notable',
    description: 'Raises a signal for everyone who works in some part of the repository.',
  }),
  getNotable: operation({
    method: 'GET',
    path: '/notables/{id}',
    access: 'read',
    record: 'ntb',
    output: Notable,
    summary: 'Retrieve a notable',
    description: 'Every field.',
  }),
  updateNotable: operation({
    method: 'PATCH',
    path: '/notables/{id}',
    access: 'write',
    record: 'ntb',
    input: UpdateNotable,
    output: NotableBrief,
    summary: 'Update a notable',
    description: 'Changes the fields that are sent, and no others.',
  }),
  archiveNotable: operation({
    method: 'POST',
    path: '/notables/{id}/archive',
    access: 'write',
    record: 'ntb',
    output: ArchivedNotable,
    summary: 'Archive a notable',
    description: 'Archiving an archived notable answers its first `archived_at` again.',
  }),
  getSettings: operation({
    method: 'GET',
    path: '/settings',
    access: 'read',
    output: SettingsView,
    summary: 'Show the settings',
    description: 'The values in force for the repository, and what was wrong with its settings file.',
  }),
} satisfies Record<string, Operation>

export type OperationName = keyof typeof OPERATIONS
export type InputOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['input']>
export type OutputOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['output']>
