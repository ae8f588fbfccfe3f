/** The scope of a request: the paths that the user or an agent names, and the files that git reports as changed. */
import { DeconflictError } from '../client/client-error.ts'
import type { Change } from './diff-output.ts'
import { scopePaths } from './scope-paths.ts'
import type { ChangedFiles } from './working-tree-files.ts'

export interface GivenScope {
  scope: { areas: string[]; paths: string[]; changes?: Change[] }
  /** The commit that the patches of `changes` start from. */
  base_sha?: string
}

/** Adds the changed files of git. Paths that are among them are left out, because their lines are compared. */
export function withChanges(
  { areas, paths }: { areas: string[]; paths: string[] },
  changed: ChangedFiles | undefined,
): GivenScope {
  if (changed === undefined || changed.changes.length === 0) return { scope: { areas, paths } }
  const { changes, base_sha } = changed
  const names = new Set(scopePaths(changes.map(({ path }) => path)))
  const others = [...paths.filter((path) => !names.has(path)), ...changed.paths]
  return {
    scope: { areas, paths: [...new Set(others)], changes },
    ...(base_sha !== undefined && { base_sha }),
  }
}

/** The part of a request that `sendScope` may have to change. */
interface ScopeInput {
  scope?: {
    areas?: string[]
    paths?: string[]
    changes?: { path: string; previous_path?: string | null }[]
  }
  base_sha?: string | null
}

/** The maximum number of fields that are left out, one after another, because the service does not know them. */
const DROPS_MAX = 2

/**
 * Sends `input`. If the service is too old to know a field, sends it again without this field, and with paths instead of
 * changes if it cannot compare these.
 */
export async function sendScope<Input extends ScopeInput, Answer>(
  input: Input,
  send: (input: Input) => Promise<Answer>,
  drops_max = DROPS_MAX,
): Promise<Answer> {
  try {
    return await send(input)
  } catch (error) {
    const rest = error instanceof DeconflictError ? withoutUnknown(input, error) : undefined
    if (rest === undefined || drops_max === 0) throw error
    return sendScope(rest, send, drops_max - 1)
  }
}

/** The input without the field that an old service does not know; undefined if the error is another one. */
function withoutUnknown<Input extends ScopeInput>(
  input: Input,
  { type, param, message }: DeconflictError,
): Input | undefined {
  if (type !== 'invalid_request' || param === null) return undefined
  if (['scope.changes', 'base_sha'].includes(param)) return withPathsOnly(input)
  // Any other error is about the value of a field, and is reported.
  if (!(param in input) || !message.includes('unknown')) return undefined
  return Object.fromEntries(Object.entries(input).filter(([name]) => name !== param)) as Input
}

function withPathsOnly<Input extends ScopeInput>({ base_sha: _, scope, ...input }: Input): Input {
  const { changes = [], paths = [], areas = [] } = scope ?? {}
  const files = changes.flatMap(({ path, previous_path }) => [path, previous_path ?? path])
  return { ...input, scope: { areas, paths: [...new Set([...paths, ...scopePaths(files)])] } } as Input
}
