/** The schemas of notables: enums, request bodies and responses. */
import { z } from 'zod'
import { NOTABLE_CATEGORIES } from '../severity.ts'
import {
  about,
  boolean,
  httpsUrl,
  isId,
  object,
  outputTimestamp,
  sample,
  text,
  textOrNull,
  texts,
  timestamp,
  timestampOrNull,
} from './field.ts'
import { pageParameters } from './pagination.ts'
import { EMPTY_SCOPE, label, Scope, ShownScope } from './scope.ts'

export const NotableStatus = z.enum(['active', 'archived', 'expired'])
export type NotableStatus = z.output<typeof NotableStatus>

export const Importance = z.enum(['low', 'medium', 'high', 'critical'])
export type Importance = z.output<typeof Importance>

export const Category = z.enum(NOTABLE_CATEGORIES)
export type Category = z.output<typeof Category>

/** The maximum number of characters of each text, and of entries in `supersedes`. */
export const NOTABLE_MAX = { title: 200, summary: 4000, supersedes: 100 }

const title = text(1, NOTABLE_MAX.title).meta({
  description: 'A one-line summary of the notable.',
  examples: ['Migrations are frozen'],
})
const summary = text(1, NOTABLE_MAX.summary).meta({
  description: 'The details, in a sentence or two.',
  examples: ['No schema change before Friday: the cut-over to the new cluster is running.'],
})
const importance = Importance.meta(about('How important the notable is for work in its scope.', 'high'))
const category = Category.meta({ description: 'The kind of notable.', examples: ['migration'] })
const decision_url = httpsUrl
  .meta({
    description: 'The URL of the document that records the decision.',
    examples: ['https://github.com/acme/shop/blob/main/docs/adr/7.md'],
  })
  .nullable()
const scope = Scope.describe('Where the notable applies. An empty scope is the whole repository.')
const applies_until = timestamp
  .describe('When the notable stops applying: a future timestamp with an offset.')
  .nullable()
const blocking = boolean('Whether to warn others prominently. It never blocks them.')

export const CreateNotable = object('CreateNotable', {
  title,
  summary,
  importance,
  category,
  decision_url: decision_url.default(null),
  scope: scope.default(EMPTY_SCOPE),
  applies_until: applies_until.default(null),
  blocking: blocking.default(false),
  supersedes: z
    .array(z.string().refine((id) => isId('ntb', id), { error: 'must be the id of a notable' }))
    .max(NOTABLE_MAX.supersedes)
    .default([])
    .describe('The ids of notables of this repository that this one replaces. They are archived.'),
})
export type CreateNotable = z.output<typeof CreateNotable>

const changeable = { title, summary, importance, decision_url, scope, applies_until, blocking }
export const UpdateNotable = object('UpdateNotable', z.object(changeable).partial().shape)
export type UpdateNotable = z.output<typeof UpdateNotable>

export const ListNotables = z.strictObject({
  status: NotableStatus.default('active').describe('Only this status.'),
  importance: importance.optional().describe('Only this importance.'),
  category: category.optional().describe('Only this category.'),
  area: label.optional().describe('Only notables whose scope contains this area.'),
  ...pageParameters('ntb'),
})
export type ListNotables = z.output<typeof ListNotables>

const notableId = sample('The id of the notable.', 'ntb_01h455vb4pex5vsknk084sn02q')

/** The abbreviated representation: items of a list, and the response to create and update. */
export const NotableBrief = object('NotableBrief', {
  id: notableId,
  title: sample('A one-line summary of the notable.', 'Migrations are frozen until Friday'),
  category,
  importance,
  status: NotableStatus.describe('The status. Archived and expired notables no longer apply.'),
  decision_url: textOrNull('The URL of the document that records the decision.'),
  supersedes: texts('The ids of the notables that this one replaced.'),
  superseded_by: textOrNull('The id of the notable that replaced this one.'),
  applies_until: timestampOrNull('When the notable stops applying.'),
  scope: ShownScope.describe('Where the notable applies. An empty scope is the whole repository.'),
  blocking,
  created_by: textOrNull('The GitHub login of the creator; null for a token without a user.'),
  expires_at: outputTimestamp.describe('When the notable expires.'),
  created_at: outputTimestamp.describe('When the notable was created.'),
  updated_at: outputTimestamp.describe('When the notable was last updated.'),
  archived_at: timestampOrNull('When the notable was archived; null unless the status is `archived`.'),
})
export type NotableBrief = z.output<typeof NotableBrief>

export const Notable = NotableBrief.extend({
  type: z.literal('notable').describe('The type of the record.'),
  summary: sample(
    'The details, in a sentence or two.',
    'No schema change before Friday: the cut-over to the new cluster is running.',
  ),
}).meta({ id: 'Notable' })
export type Notable = z.output<typeof Notable>

export const ArchivedNotable = object('ArchivedNotable', {
  id: notableId,
  status: z.literal('archived').describe('The new status.'),
  archived_at: outputTimestamp.describe('When the notable was first archived.'),
})
export type ArchivedNotable = z.output<typeof ArchivedNotable>
