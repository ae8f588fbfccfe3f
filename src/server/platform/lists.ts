/** Pages of lists. */
import { cursorAt, type Page } from '../../vocabulary/contract/pagination.ts'

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
