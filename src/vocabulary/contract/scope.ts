/** A scope: the areas and paths that work changes or a notable applies to, and the changed files of work with their patches (docs/contract/lines.md#changes). */
import { z } from 'zod'
import { type Glob, GlobError, parseGlob } from '../scope/glob.ts'
import {
  CHANGES_MAX,
  isMachinePath,
  LISTED_PATHS_MAX,
  MACHINE_PATH,
  PATCHES_BYTES_MAX,
  PATH_LENGTH_MAX,
  PATHS_MAX,
} from '../scope/limits.ts'
import { count, object, sample, text, textOrNull, texts } from './field.ts'

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
  { areas: texts('Labels.'), paths: texts('Globs relative to the root of the repository.') },
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

/** The path of one file, in which no character is a wildcard. */
const filePath = text(1, PATH_LENGTH_MAX)
  .refine((path) => !isMachinePath(path), { error: MACHINE_PATH, abort: true })
  .refine(isFilePath, {
    error:
      "must be the path of a file relative to the root of the repository, as git prints it: no leading or trailing '/', and no empty, '.' or '..' segment",
  })

function isFilePath(path: string): boolean {
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
}

/** The name of a git object, SHA-1 or SHA-256. */
export const objectName = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i, { error: 'must be 40 or 64 hexadecimal digits', abort: true })
  .refine((sha) => !/^0+$/.test(sha), {
    error: 'must not be all zeros, which git uses for an object that does not exist yet; omit the field',
  })
  .overwrite((sha) => sha.toLowerCase())

export const baseSha = objectName.nullable().meta({
  description: 'The commit that the patches of `scope.changes` start from: the merge base.',
  examples: ['7c3f1a9e5b2d4806f1e2d3c4b5a697887a6b5c4d'],
})

const status = z.enum(['added', 'modified', 'removed', 'renamed'])
export type ChangeStatus = z.output<typeof status>
const previousPath = filePath.nullable()
const blobSha = objectName.nullable()

const Change = z
  .strictObject({
    path: filePath.meta({
      description:
        'The path of the file, taken literally: no character is a wildcard, and only this file is meant.',
      examples: ['src/checkout/retry.ts'],
    }),
    previous_path: previousPath.default(null).describe('The former path; for the status `renamed` only.'),
    status: status.default('modified').describe('What happened to the file.'),
    blob_sha: blobSha.default(null).meta({
      description:
        'The git blob of the changed file; for a removed file, the blob before the change. An update that sends the stored blob without `patch` keeps the stored digest of the patch.',
      examples: ['5d41402abc4b2a76b9719d911017c592aa3bb1c0'],
    }),
    patch: z
      .string()
      .optional()
      .meta({
        description: `The unified diff of this file against the merge base, with three lines of context, as \`git diff -U3\` and GitHub's list of files return it. It is reduced to line numbers and hashes on arrival and never stored. All patches of a request together can have at most ${PATCHES_BYTES_MAX} bytes. A file without a patch is compared by path.`,
        examples: [
          '@@ -12,3 +12,3 @@\n async function retry(payment) {\n-  return send(payment)\n+  return send(payment, { attempts: 2 })\n }\n',
        ],
      }),
  })
  .superRefine(({ path, previous_path, status: given }, context) => {
    const problem =
      previous_path === null
        ? given === 'renamed' && 'is needed for the status renamed; send the former path'
        : given !== 'renamed'
          ? `is only for the status renamed, not ${given}`
          : previous_path === path && 'must differ from path'
    if (problem) context.addIssue({ code: 'custom', path: ['previous_path'], message: problem })
  })
  .meta({ id: 'Change', description: 'One changed file.' })

/** A change as the client sent it. */
export type ScopeChange = z.output<typeof Change>

const changes = z
  .array(Change)
  .max(CHANGES_MAX)
  .superRefine(checkTogether)
  .describe(
    'Files that git reports as changed. They are compared line by line with the changes of other activities.',
  )

/** Checks that no two changes have the same path or former path, and the total size of the patches. */
function checkTogether(all: readonly ScopeChange[], context: z.RefinementCtx): void {
  for (const name of ['path', 'previous_path'] as const) {
    const seen = new Map<string, number>()
    for (const [index, change] of all.entries()) {
      const value = change[name]
      if (value === null) continue
      const first = seen.get(value)
      if (first === undefined) {
        seen.set(value, index)
        continue
      }
      const message = `duplicates the path of scope.changes[${first}]; send one change for each file`
      context.addIssue({ code: 'custom', path: [index, name], message })
      return
    }
  }
  const bytes = all.reduce((sum, { patch = '' }) => sum + Buffer.byteLength(patch), 0)
  if (bytes > PATCHES_BYTES_MAX)
    context.addIssue({
      code: 'custom',
      message: `the patches must have at most ${PATCHES_BYTES_MAX} bytes in total, not ${bytes}; omit those of the largest files`,
    })
}

export const ActivityScope = Scope.extend({ changes: changes.default([]) }).meta({
  id: 'ActivityScope',
  description: 'Areas, paths and changed files. An omitted list is empty.',
})
export type ActivityScope = z.output<typeof ActivityScope>

export const EMPTY_ACTIVITY_SCOPE: ActivityScope = { ...EMPTY_SCOPE, changes: [] }

const ListedChange = object('ListedChange', {
  path: sample('The file.', 'src/checkout/retry.ts'),
})

const ShownChange = ListedChange.extend({
  previous_path: textOrNull('The former path of a renamed file.'),
  status: status.describe('What happened to the file.'),
  blob_sha: textOrNull('The git blob of the file; null if unknown.'),
}).meta({ id: 'ShownChange' })

export const ShownActivityScope = ShownScope.extend({
  changes: z.array(ShownChange).describe('The changed files, without their patches.'),
}).meta({ id: 'ShownActivityScope', description: 'Areas, paths and changed files.' })

export const ListedActivityScope = ShownScope.extend({
  changes: z.array(ListedChange).describe('The paths of the changed files.'),
  path_count: count(
    `Only present if it has more than ${LISTED_PATHS_MAX} different paths and files, of which a list shows ${LISTED_PATHS_MAX}: their number.`,
  ).optional(),
}).meta({ id: 'ListedActivityScope', description: 'Areas, and some of the paths and changed files.' })
