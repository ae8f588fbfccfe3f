/** Pages of a list: newest first, walked by a cursor that holds nothing but a position (specification §2.4, contract §4). */
import { z } from 'zod'
import { Failure } from './failure.ts'
import { type IdPrefix, isId } from './id.ts'

export interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

/** The two parameters that every list takes. */
export const pageParameters = {
  cursor: z
    .string()
    .optional()
    .meta({ description: 'The `next_cursor` of the page before; leave it out for the first page.' }),
  limit: z
    .string()
    .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .default(50)
    .meta({
      description: 'How many items a page holds at most.',
      override: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    }),
}

/** The id after which a page begins, or null for the first page. Throws `invalid_request` for anything else than a cursor of this list. */
export function positionOf(prefix: IdPrefix, cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const position = Buffer.from(cursor, 'base64url').toString('latin1')
  if (isId(prefix, position) && cursorAt(position) === cursor) return position
  throw new Failure('invalid_request', 'cursor: not one of this list; send back a next_cursor as it came', {
    param: 'cursor',
  })
}

/** Cuts a page from rows that were read one past `limit`, so that the last page knows that it is the last. */
export function pageOf<Row extends { id: string }, Item>(
  rows: Row[],
  limit: number,
  show: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(show), next_cursor: rows.length > limit && last ? cursorAt(last.id) : null }
}

function cursorAt(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url')
}
