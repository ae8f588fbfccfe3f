/** Whether calls that overlapped in time can have happened one after the other: Wing and Gong, "Testing and verifying concurrent objects" (1993). */

export interface Call<Input, Output> {
  input: Input
  output: Output
  from: number
  to: number
}

export interface Model<State, Input, Output> {
  initial: State
  /** The state after the call; undefined if it cannot answer so in this state. */
  next(state: State, input: Input, output: Output): State | undefined
}

export function isLinearizable<State, Input, Output>(
  calls: readonly Call<Input, Output>[],
  { initial, next }: Model<State, Input, Output>,
): boolean {
  const seen = new Set<string>()
  const search = (left: readonly Call<Input, Output>[], state: State): boolean => {
    if (left.length === 0) return true
    const key = JSON.stringify([left.map((call) => calls.indexOf(call)), state])
    if (seen.has(key)) return false
    seen.add(key)
    const end = Math.min(...left.map(({ to }) => to))
    return left.some((call) => {
      const after = call.from > end ? undefined : next(state, call.input, call.output)
      const others = left.filter((each) => each !== call)
      return after !== undefined && search(others, after)
    })
  }
  return search(calls, initial)
}
