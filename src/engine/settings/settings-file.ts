/**
 * Reads the settings files of a repository and an organisation, with the lines of their problems (docs/contract/settings.md#errors),
 * and areas from the configuration of the labeler action (docs/contract/settings.md#areas-from-the-labeler). Pure.
 */
import { describeProblems, formatPath, type Problem } from '../../vocabulary/contract/parse.ts'
import { label, labelKey, paths } from '../../vocabulary/contract/scope.ts'
import {
  FileSettings,
  OrganisationSettings,
  type Settings,
  type SettingsProblem,
} from '../../vocabulary/contract/settings.ts'
import { readYaml } from './yaml-file.ts'

const PROBLEMS_MAX = 20
const MESSAGE_MAX = 500

export interface SettingsFile {
  /** Only what the file sets; null if it is invalid. */
  settings: FileSettings | null
  /** In the order of the lines. */
  errors: SettingsProblem[]
}

/** Parses `.github/deconflict.yml` of a repository, or of an organisation. Never throws. */
export function readSettingsFile(text: string, { is_organisation = false } = {}): SettingsFile {
  const schema = is_organisation ? OrganisationSettings : FileSettings
  const { value, problems, lineOf } = readYaml(text)
  if (problems.length > 0) {
    const errors = problems.map(({ line, path, message }) => {
      const key = path.length > 0 ? formatPath(path) : null
      return { line, key, message: key === null ? message : `${key}: ${message}` }
    })
    return invalid(errors)
  }
  if (value === null) return { settings: {}, errors: [] }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return invalid([
      { line: lineOf([], 'value'), key: null, message: 'the file must be a mapping of keys to values' },
    ])
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) {
    const wrong = lastPerKey(describeProblems(schema, value, { error: parsed.error, noun: 'key' }))
    return invalid(
      wrong.slice(0, PROBLEMS_MAX).map(({ kind, path, param, message }) => ({
        line: lineOf(path, kind === 'validation_error' ? 'value' : 'name'),
        key: param,
        message,
      })),
    )
  }
  const given = Object.entries(parsed.data).filter(([name]) => Object.hasOwn(value, name))
  return { settings: Object.fromEntries(given), errors: [] }
}

/** A value can break two rules, such as the bound and the integer check. Keeps the last one, which is more specific. */
function lastPerKey(problems: Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem.path), problem])).values()]
}

function invalid(errors: SettingsProblem[]): SettingsFile {
  const printed = errors.map(({ line, key, message }) => ({
    line,
    key: key && printable(key),
    message: printable(message),
  }))
  return { settings: null, errors: printed.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
}

/** Shortens a message, which quotes the file, and replaces characters that the database rejects or that are invisible. */
function printable(text: string): string {
  const short = text.length > MESSAGE_MAX ? `${text.slice(0, MESSAGE_MAX)}…` : text
  return short.replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, '\ufffd')
}

const AREAS_MAX = 100
/** The maximum number of globs per label: as many as a list of paths may have with wildcards. */
const GLOBS_MAX = 200
const DEPTH_MAX = 8

/** Keys that contain globs in version 4 or 5 of the format. */
const RULES_OF_FILES = new Set([
  'any',
  'all',
  'changed-files',
  'any-glob-to-any-file',
  'any-glob-to-all-files',
  'all-globs-to-any-file',
  'all-globs-to-all-files',
])

/** Syntax of the action that our globs would take literally: `+(a|b)`, `# remark`. */
const UNSUPPORTED = /^#|[?*+@!]\(/
const BRACES = /\{[^{},]*\}/g
/** Globs that match every file do not define an area. They are common next to a negated glob. */
const EVERYTHING = new Set(['**', '**/*'])

/**
 * Label → globs, from versions 4 and 5 of the action's format. Rules about branches and unsupported globs are left out. A
 * file that is not valid YAML has no areas. Never throws.
 */
export function areasOfLabeler(text: string): Settings['areas'] {
  const areas = new Map<string, { name: string; globs: Set<string> }>()
  for (const [given, rules] of entriesOf(readYaml(text).value)) {
    const { data: name } = label.safeParse(given)
    if (name === undefined) continue
    const area = areas.get(labelKey(name)) ?? { name, globs: new Set() }
    for (const glob of globsIn(rules, 0)) {
      if (area.globs.size === GLOBS_MAX) break
      if (!EVERYTHING.has(glob) && isSupported(glob)) area.globs.add(glob)
    }
    if (area.globs.size > 0) areas.set(labelKey(name), area)
    if (areas.size === AREAS_MAX) break
  }
  return Object.fromEntries([...areas.values()].map(({ name, globs }) => [name, [...globs]]))
}

function* globsIn(rules: unknown, depth: number): Generator<string> {
  if (depth > DEPTH_MAX) return
  if (typeof rules === 'string') yield rules
  else if (Array.isArray(rules)) for (const each of rules) yield* globsIn(each, depth + 1)
  else {
    for (const [key, value] of entriesOf(rules)) {
      if (RULES_OF_FILES.has(key)) yield* globsIn(value, depth + 1)
    }
  }
}

function isSupported(glob: string): boolean {
  if (!paths.safeParse([glob]).success || UNSUPPORTED.test(glob)) return false
  // A range with steps, `{1..9..2}`.
  return !glob.match(BRACES)?.some((braces) => braces.split('..').length > 2)
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}
