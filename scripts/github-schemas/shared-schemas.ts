/** Moves schemas that occur more than once, in either platform, to `$defs`. */
import { createHash } from 'node:crypto'
import type { GithubSchemas, Schema } from '../../test/support/github-schemas.ts'

/** A shorter schema stays where it is. */
const CHARACTERS_MIN = 150

type Platforms = GithubSchemas['platforms']

export function withShared(platforms: Platforms): { platforms: Platforms; $defs: Record<string, Schema> } {
  const texts = new Map<object, string>()
  const textOf = (node: object): string => {
    const text = texts.get(node) ?? JSON.stringify(node)
    texts.set(node, text)
    return text
  }

  /** Counts a schema where it first occurs, and its parts only there: parts of a shared schema are shared with it. */
  const counts = new Map<string, number>()
  const count = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const text = textOf(node)
    const before = counts.get(text) ?? 0
    counts.set(text, before + 1)
    if (before === 0) for (const part of Object.values(node)) count(part)
  }
  count(platforms)

  const $defs: Record<string, Schema> = {}
  const moved = (node: unknown, isSchema: boolean): unknown => {
    if (typeof node !== 'object' || node === null) return node
    if (Array.isArray(node)) return node.map((part) => moved(part, isSchema))
    const parts = () =>
      Object.fromEntries(Object.entries(node).map(([key, part]) => [key, moved(part, key !== 'properties')]))
    const text = textOf(node)
    if (!isSchema || text.length < CHARACTERS_MIN || counts.get(text) === 1) return parts()
    const name = createHash('sha256').update(text).digest('hex').slice(0, 8)
    $defs[name] ??= parts()
    return { $ref: `#/$defs/${name}` }
  }
  const result = Object.fromEntries(
    Object.entries(platforms).map(([platform, { responses, deliveries }]) => {
      const ofRoutes = Object.entries(responses).map(([route, byStatus]) => [
        route,
        Object.fromEntries(Object.entries(byStatus).map(([status, schema]) => [status, moved(schema, true)])),
      ])
      const ofEvents = Object.entries(deliveries).map(([name, schema]) => [name, moved(schema, true)])
      return [platform, { responses: Object.fromEntries(ofRoutes), deliveries: Object.fromEntries(ofEvents) }]
    }),
  )
  return { platforms: result as Platforms, $defs }
}
