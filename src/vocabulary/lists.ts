/** Lists by a key, pages of lists, and places in sorted lists. */

/** Ids are ordered by time. */
export function newestFirst(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? 1 : -1
}

/** The cursor of a list that goes on after `id` (docs/contract/requests.md#lists). */
export function cursorAt(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url')
}

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** The list is replaced, so that a reader that pauses misses no other. */
export function drop<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const left = lists.get(key)?.filter((each) => each !== value) ?? []
  if (left.length > 0) lists.set(key, left)
  else lists.delete(key)
}

/** Pages of at most `max` items, and of at most `size_max` together, except for their last item. */
export function* pagesOf<Item>(
  all: readonly Item[],
  { max, size_max, sizeOf }: { max: number; size_max: number; sizeOf: (item: Item) => number },
): Generator<Item[]> {
  let page: Item[] = []
  let size = 0
  for (const each of all) {
    if (page.length === max || size >= size_max) {
      yield page
      page = []
      size = 0
    }
    page.push(each)
    size += sizeOf(each)
  }
  if (page.length > 0) yield page
}

/** The first index from `from` to `to`, exclusive, whose item satisfies `holds`; `to` if there is none. If an item does, all later ones must too. */
export function firstIndex<Item>(
  items: ArrayLike<Item>,
  holds: (item: Item) => boolean,
  { from = 0, to = items.length }: { from?: number; to?: number } = {},
): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(items[middle] as Item)) high = middle
    else low = middle + 1
  }
  return low
}
