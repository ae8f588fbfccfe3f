/** Lets work on one thing wait in memory for its turn, where it holds nothing that others need. */

const last = new Map<string, Promise<unknown>>()

/** Runs `work` after all work on the same `key` that this process began before, however that ended. */
export function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const result = (last.get(key) ?? Promise.resolve()).then(work)
  const ended = result.then(
    () => {},
    () => {},
  )
  last.set(key, ended)
  void ended.then(() => {
    if (last.get(key) === ended) last.delete(key)
  })
  return result
}
