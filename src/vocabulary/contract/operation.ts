/** The format of an operation in the contract. */
import { z } from 'zod'
import type { IdPrefix } from './field.ts'

export interface Operation {
  method: 'GET' | 'POST' | 'PATCH'
  /** Relative to `/repos/{owner}/{repo}`; for operations on the caller, to the root of the API. */
  path: string
  /** What the operation is about: a repository, or all that the caller may see. */
  on: 'repository' | 'caller'
  /** The permission on the repository that the caller needs. A check only reads, although it is a POST. */
  access: 'read' | 'write' | 'admin'
  /** The prefix of `{id}`; null if the path has no id. */
  record: IdPrefix | null
  /** The query parameters of a GET, otherwise the body. */
  input: z.ZodObject
  output: z.ZodObject
  status: 200 | 201
  /** Whether the operation may also answer 200, if it created the same before. */
  is_repeatable: boolean
  /** Whether the answer has an `ETag`, and is 304 for the same one in `If-None-Match`. */
  is_conditional: boolean
  /** Whether the operation supports `Idempotency-Key`. */
  is_idempotent: boolean
  /** When the operation needs the GitHub user behind the token. `to_archive`: if its input sets the status `archived`. */
  needs_identity: 'always' | 'to_archive' | 'never'
  summary: string
  description: string
}

const NO_INPUT = z.strictObject({})

const defaults = {
  on: 'repository',
  record: null,
  input: NO_INPUT,
  status: 200,
  is_repeatable: false,
  is_conditional: false,
  is_idempotent: false,
  needs_identity: 'never',
} as const

/** Adds the defaults and keeps the exact schemas in the type. */
export function operation<
  const Method extends Operation['method'],
  const Path extends string,
  const Given extends Partial<Operation> & Omit<Operation, keyof typeof defaults | 'method' | 'path'>,
>(
  method: Method,
  path: Path,
  given: Given,
): Omit<typeof defaults, keyof Given> & { method: Method; path: Path } & Given {
  return { ...defaults, method, path, ...given }
}
