/** Adds fields that earlier releases of the service do not send, so that every response has the type of its operation. */
import type { OperationName } from '../operations/contract.ts'

type Json = Record<string, unknown>

const FILL: Partial<Record<OperationName, (body: Json) => Json>> = {
  getActivity: withOverlap,
  updateActivity: withOverlap,
  heartbeatActivity: withOverlap,
  listOverlaps: (body) => ({ total: (body.items as unknown[]).length, ...body }),
}

/** Returns `body` with the fields that this release adds. A body of another shape is returned unchanged. */
export function fillIn(name: OperationName, body: unknown): unknown {
  const fill = FILL[name]
  return fill && typeof body === 'object' && body !== null ? fill(body as Json) : body
}

function withOverlap({ overlap = null, ...body }: Json): Json {
  return { ...body, overlap: overlap === null ? null : { matches: [], ...(overlap as Json) } }
}
