/** Pagination: newest first, with a cursor that holds only a position (docs/contract/requests.md#lists). */
import { z } from 'zod'
import { wholeNumber } from './field.ts'
import { type IdPrefix, isId } from './id.ts'
import { MALFORMED } from './parse.ts'

export interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

/** The two parameters of every list. The cursor is parsed to the id after which the page starts. */
export const pageParameters = (prefix: IdPrefix) => ({
  cursor: z
    .string()
    .refine((cursor) => isCursorOf(prefix, cursor), {
      error: 'is not a cursor of this list; send the next_cursor of a previous response unchanged',
      params: MALFORMED,
    })
    .transform(positionOf)
    .optional()
    .describe('The `next_cursor` of the previous page. Omit it for the first page.'),
  limit: wholeNumber({ min: 1, max: 100, preset: 50 }).describe('The maximum number of items on a page.'),
})

function isCursorOf(prefix: IdPrefix, cursor: string): boolean {
  const position = positionOf(cursor)
  return isId(prefix, position) && cursorAt(position) === cursor
}

function positionOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('latin1')
}

export function cursorAt(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url')
}
