/** The scope of a request: the paths that the user or an agent names, and the files that git reports as changed (contract §11). */
import { DeconflictError } from '../../client/client.ts'
import type { ChangedFiles } from './changed-files.ts'
import type { Change } from './diff-output.ts'
import { scopePaths } from './scope-paths.ts'

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

/** Sends `input`, and sends it again with paths instead of changes if the service is too old to support these. */
export async function sendScope<Input extends ScopeInput, Answer>(
  input: Input,
  send: (input: Input) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(input)
  } catch (error) {
    const isUnknown =
      error instanceof DeconflictError &&
      error.type === 'invalid_request' &&
      ['scope.changes', 'base_sha'].includes(error.param ?? '')
    if (!isUnknown) throw error
    return send(withPathsOnly(input))
  }
}

function withPathsOnly<Input extends ScopeInput>({ base_sha: _, scope, ...input }: Input): Input {
  const { changes = [], paths = [], areas = [] } = scope ?? {}
  const files = changes.flatMap(({ path, previous_path }) => [path, previous_path ?? path])
  return { ...input, scope: { areas, paths: [...new Set([...paths, ...scopePaths(files)])] } } as Input
}
