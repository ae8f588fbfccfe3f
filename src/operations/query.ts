/** The query of a GET, as text, from values as programs hold them (contract §4). */

/** Numbers and booleans are spelt out; what is undefined is left out. */
export function queryOf(input: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}
