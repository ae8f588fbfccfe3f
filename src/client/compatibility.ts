/** Adds fields that earlier releases of the service do not send, so that every response has the type of its operation. */
import type { OperationName } from '../vocabulary/contract/contract.ts'

type Json = Record<string, unknown>

const FILL: Partial<Record<OperationName, (body: Json) => Json>> = {
  getActivity: withOverlap,
  updateActivity: withOverlap,
  heartbeatActivity: withOverlap,
  listOverlaps: withLines,
}

/** Returns `body` with the fields that this release adds. A body of another shape is returned unchanged. */
export function fillIn(name: OperationName, body: unknown): unknown {
  const fill = FILL[name]
  return fill && typeof body === 'object' && body !== null ? fill(body as Json) : body
}

function withLines({ items, checked_against, ...body }: Json): Json {
  const all = items as (Json & { paths: Json[] })[]
  return {
    total: all.length,
    ...body,
    items: all.map(({ paths, ...item }) => ({
      lines: null,
      duplicate: null,
      same_author: false,
      cut: false,
      ...item,
      paths: paths.map((path) => ({ verdict: null, confidence: null, line_ranges: null, ...path })),
    })),
    checked_against: { reason: null, ...(checked_against as Json) },
  }
}

function withOverlap({ overlap = null, ...body }: Json): Json {
  return { ...body, overlap: overlap === null ? null : { matches: [], ...(overlap as Json) } }
}
