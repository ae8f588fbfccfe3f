/** Lists by a key, and pages of lists. */

/** Adds a value to the list of a key. */
export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
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
