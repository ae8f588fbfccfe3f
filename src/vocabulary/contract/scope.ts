/** A scope: the areas and paths that work changes or a notable applies to. */
import { z } from 'zod'
import { type Glob, GlobError, parseGlob } from '../scope/glob.ts'
import { isMachinePath, MACHINE_PATH, PATH_LENGTH_MAX, PATHS_MAX } from '../scope/limits.ts'
import { object, text, texts } from './field.ts'

const LABELS_MAX = 100
const WILDCARD_PATHS_MAX = 200

/** The name of an area, or a tag. */
export const label = text(1, 100, z.string().trim())

/** Labels, without case-insensitive duplicates. */
export const labels = z
  .array(label)
  .max(LABELS_MAX)
  .overwrite((all) => distinctBy(all, labelKey))
  .meta({ description: 'Labels, case-insensitive.', examples: [['checkout']] })

/** Globs relative to the root of the repository, stored unchanged. */
export const paths = z
  .array(text(1, PATH_LENGTH_MAX))
  .max(PATHS_MAX)
  .superRefine(checkGlobs)
  .overwrite((all) => distinctBy(all, (path) => path))
  .meta({
    description:
      'Globs relative to the root of the repository: `*`, `**`, `?`, `[…]`, `{a,b}`, `\\` escapes. A glob that ends in a name without wildcards also matches everything beneath it.',
    examples: [['src/checkout/**', 'docs/checkout.md']],
  })

export const Scope = z
  .strictObject({ areas: labels.default([]), paths: paths.default([]) })
  .meta({ id: 'Scope', description: 'Areas and paths. An omitted list is empty.' })

export type Scope = z.output<typeof Scope>

/** A scope in a response, without limits: the scope of a pull request can be larger than one in a request. */
export const ShownScope = object(
  'ShownScope',
  {
    areas: texts('Labels.'),
    paths: texts('Globs relative to the root of the repository.'),
  },
  'Areas and paths.',
)

export const EMPTY_SCOPE: Scope = { areas: [], paths: [] }

/** The form in which labels are compared. */
export function labelKey(label: string): string {
  return label.trim().toLowerCase()
}

/** Without entries whose key occurs earlier. Returns `all` itself if there are none, because `GLOBS` is keyed by the list. */
function distinctBy(all: string[], keyOf: (each: string) => string): string[] {
  const seen = new Set<string>()
  const distinct = all.filter((each) => {
    const before = seen.size
    return seen.add(keyOf(each)).size > before
  })
  return distinct.length === all.length ? all : distinct
}

/** The parsed globs of each list of paths, so that a list is parsed once: when it is validated or first compared. */
const GLOBS = new WeakMap<readonly string[], readonly Glob[]>()

/** The globs of `paths`, in their order. */
export function globsOfPaths(paths: readonly string[]): readonly Glob[] {
  const globs = GLOBS.get(paths) ?? paths.map(parseGlob)
  GLOBS.set(paths, globs)
  return globs
}

function checkGlobs(all: readonly string[], context: z.RefinementCtx): void {
  const globs: Glob[] = []
  const wildcards = new Set<string>()
  for (const [index, path] of all.entries()) {
    try {
      if (isMachinePath(path)) throw new GlobError(MACHINE_PATH)
      const glob = parseGlob(path)
      if (!glob.is_plain) wildcards.add(path)
      if (wildcards.size > WILDCARD_PATHS_MAX)
        throw new GlobError(`at most ${WILDCARD_PATHS_MAX} paths can have wildcards`)
      globs.push(glob)
    } catch (error) {
      if (!(error instanceof GlobError)) throw error
      context.addIssue({ code: 'custom', path: [index], message: error.message })
      return
    }
  }
  GLOBS.set(all, globs)
}
