/** Turns the typed input of a GET into query parameters, which are text. */

/** Leaves out fields that are undefined. */
export function queryOf(input: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}
