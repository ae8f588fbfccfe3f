/** Pages of a list: newest first, walked by a cursor that holds nothing but a position (specification §2.4, contract §4). */
import { z } from 'zod'
import { type IdPrefix, isId } from './id.ts'
import { MALFORMED } from './parse.ts'

export interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

/** The two parameters that every list takes. The cursor is parsed to the id after which the page begins. */
export const pageParameters = (prefix: IdPrefix) => ({
  cursor: z
    .string()
    .refine((cursor) => isCursorOf(prefix, cursor), {
      error: 'not one of this list; send back a next_cursor as it came',
      params: MALFORMED,
    })
    .transform(positionOf)
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
})

function isCursorOf(prefix: IdPrefix, cursor: string): boolean {
  const position = positionOf(cursor)
  return isId(prefix, position) && cursorAt(position) === cursor
}

function positionOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('latin1')
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
