/** The words of a notable: its enums, the forms in which it arrives and is shown (specification §2.2 and §4.2, contract §4). */
import { z } from 'zod'
import { httpsUrl, outputTimestamp, text, timestamp } from '../base/field.ts'
import { isId } from '../base/id.ts'
import { pageParameters } from '../base/page.ts'
import { NOTABLE_CATEGORIES } from '../context/settings.ts'
import { EMPTY_SCOPE, label, Scope, ShownScope } from '../scope/scope.ts'

export const NotableStatus = z.enum(['active', 'archived', 'expired'])
export type NotableStatus = z.output<typeof NotableStatus>

export const Importance = z.enum(['low', 'medium', 'high', 'critical'])
export type Importance = z.output<typeof Importance>

export const Category = z.enum(NOTABLE_CATEGORIES)
export type Category = z.output<typeof Category>

const SUPERSEDES_MAX = 100

const title = text(1, 200).meta({
  description: 'One line that sums the signal up.',
  examples: ['Migrations are frozen'],
})
const summary = text(1, 4000).meta({
  description: 'The caveat, in a sentence or two.',
  examples: ['No schema change before Friday: the cut-over to the new cluster is running.'],
})
const importance = Importance.meta({ description: 'How much it matters to whom it concerns.' })
const category = Category.meta({ description: 'What kind of signal it is.' })
const decisionUrl = httpsUrl.meta({
  description: 'The document that holds the decision.',
  examples: ['https://github.com/acme/shop/blob/main/docs/adr/7.md'],
})
const scope = Scope.meta({ description: 'Where it applies; without any scope, in the whole repository.' })
const appliesUntil = timestamp.meta({
  description: 'When the signal ceases to hold; in the future, with an offset.',
})
const blocking = z.boolean().meta({ description: 'A prominent warning to others; never a hard block.' })

export const CreateNotable = z
  .strictObject({
    title,
    summary,
    importance,
    category,
    decision_url: decisionUrl.nullable().default(null),
    scope: scope.default(EMPTY_SCOPE),
    applies_until: appliesUntil.nullable().default(null),
    blocking: blocking.default(false),
    supersedes: z
      .array(z.string().refine((id) => isId('ntb', id), { error: 'must be the id of a notable' }))
      .max(SUPERSEDES_MAX)
      .default([])
      .meta({ description: 'Ids of notables of this repository that this one replaces; they are archived.' }),
  })
  .meta({ id: 'CreateNotable' })
export type CreateNotable = z.output<typeof CreateNotable>

export const UpdateNotable = z
  .strictObject({
    title: title.optional(),
    summary: summary.optional(),
    importance: importance.optional(),
    decision_url: decisionUrl.nullable().optional(),
    scope: scope.optional(),
    applies_until: appliesUntil.nullable().optional(),
    blocking: blocking.optional(),
  })
  .meta({ id: 'UpdateNotable' })
export type UpdateNotable = z.output<typeof UpdateNotable>

export const ListNotables = z.strictObject({
  status: NotableStatus.default('active').meta({ description: 'Only this status.' }),
  importance: importance.optional().meta({ description: 'Only this importance.' }),
  category: category.optional().meta({ description: 'Only this category.' }),
  area: label.optional().meta({ description: 'Only notables whose scope names this area.' }),
  ...pageParameters('ntb'),
})
export type ListNotables = z.output<typeof ListNotables>

const shownId = z
  .string()
  .meta({ description: 'Id of the notable.', examples: ['ntb_01h455vb4pex5vsknk084sn02q'] })

/** What lists, creates and updates show of a notable. */
export const NotableBrief = z
  .strictObject({
    id: shownId,
    title: z.string().meta({ description: 'One line that sums the signal up.' }),
    category,
    importance,
    status: NotableStatus.meta({ description: 'Whether it holds; archived and expired ones do not.' }),
    decision_url: z.string().nullable().meta({ description: 'The document that holds the decision.' }),
    supersedes: z.array(z.string()).meta({ description: 'Ids of the notables that this one replaced.' }),
    superseded_by: z.string().nullable().meta({ description: 'The notable that replaced this one.' }),
    applies_until: outputTimestamp.nullable().meta({ description: 'When the signal ceases to hold.' }),
    scope: ShownScope.meta({ description: 'Where it applies; without any, in the whole repository.' }),
    blocking,
    created_by: z
      .string()
      .nullable()
      .meta({ description: 'GitHub login; null when a token without a user raised it.' }),
    expires_at: outputTimestamp.meta({ description: 'When the record ends by itself.' }),
    created_at: outputTimestamp.meta({ description: 'When it was raised.' }),
    updated_at: outputTimestamp.meta({ description: 'When it was last changed.' }),
    archived_at: outputTimestamp
      .nullable()
      .meta({ description: 'When it was archived; null unless the status is `archived`.' }),
  })
  .meta({ id: 'NotableBrief' })
export type NotableBrief = z.output<typeof NotableBrief>

/** Every field of a notable. */
export const Notable = NotableBrief.extend({
  type: z.literal('notable').meta({ description: 'What kind of record this is.' }),
  summary: z.string().meta({ description: 'The caveat, in a sentence or two.' }),
}).meta({ id: 'Notable' })
export type Notable = z.output<typeof Notable>

export const ArchivedNotable = z
  .strictObject({
    id: shownId,
    status: z.literal('archived').meta({ description: 'Whether it holds: no more.' }),
    archived_at: outputTimestamp.meta({ description: 'When it was archived, for the first time.' }),
  })
  .meta({ id: 'ArchivedNotable' })
export type ArchivedNotable = z.output<typeof ArchivedNotable>
