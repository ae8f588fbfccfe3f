/** Long computations as steps, so that the caller decides when to pause. */

/** A computation that can pause after each step. */
export type Steps<Result> = Generator<undefined, Result>

/** Maps a long list, one item a step. */
export function* mapped<Item, Result>(
  items: readonly Item[],
  resultOf: (item: Item, index: number) => Result,
): Steps<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    results.push(resultOf(item, index))
    yield
  }
  return results
}
