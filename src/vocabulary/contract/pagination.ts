/** Pagination: newest first, with a cursor that holds only a position (docs/contract/requests.md#lists). */
import { z } from 'zod'
import { cursorAt } from '../lists.ts'
import { type IdPrefix, isId, wholeNumber } from './field.ts'
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

/** The most that the items of a page have together, in characters of JSON, and how many rows are read at once. */
const PAGE_LENGTH_MAX = 2_000_000
const ROWS = 20

/** A page of up to `limit` items after the id `cursor`. It ends before the item that would make it too long; at least one. */
export async function readPage<Row extends { id: string }, Item>(
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  read: (page: { after: string; limit: number }) => Promise<Row[]>,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const items: Item[] = []
  let length = 0
  // A tilde is above all ids.
  let last = cursor ?? '~'
  for (;;) {
    // One more than the page has shows that there is another page.
    const wanted = Math.min(ROWS, limit + 1 - items.length)
    const rows = await read({ after: last, limit: wanted })
    for (const row of rows) {
      const item = itemOf(row)
      length += JSON.stringify(item).length
      const isFull = items.length === limit || (items.length > 0 && length > PAGE_LENGTH_MAX)
      if (isFull) return { items, next_cursor: cursorAt(last) }
      items.push(item)
      last = row.id
    }
    if (rows.length < wanted) return { items, next_cursor: null }
  }
}
