/**
 * Reads the settings files of a repository and an organisation, with the lines of their problems (docs/contract/settings.md#errors),
 * and areas from the configuration of the labeler action (docs/contract/settings.md#areas-from-the-labeler); and says which
 * value of them and the defaults holds (docs/contract/settings.md#an-organisation). Pure.
 */
import { describeProblems, formatPath, type Problem } from '../../vocabulary/contract/parse.ts'
import { label, labelKey, paths } from '../../vocabulary/contract/scope.ts'
import {
  DEFAULT_SETTINGS,
  FileSettings,
  OrganisationSettings,
  type Settings,
  type SettingsProblem,
  type SettingsSource,
} from '../../vocabulary/contract/settings.ts'
import { matchesName } from '../../vocabulary/scope/glob.ts'
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

/** Syntax of the action that our globs would take literally: `+(a|b)`, `{1..3}`, `# remark`. */
const UNSUPPORTED = /^#|[?*+@!]\(|\{[^{},]*\.\.[^{},]*\}/
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
  return paths.safeParse([glob]).success && !UNSUPPORTED.test(glob)
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

/** What the settings of an organisation say about one repository. */
export interface OrganisationShare {
  settings: FileSettings
  /** False if `repositories` leaves the repository out: then its comments are in shadow mode. */
  is_included: boolean
}

/** The settings of one source. */
export interface SettingsLayer {
  source: SettingsSource
  settings: FileSettings
  /** The organisation has left the repository out. */
  is_left_out?: boolean
}

/**
 * The layers of a repository, the strongest last. `invalid`: whose file is invalid, while no valid settings were read that
 * would hold instead: then nothing is posted.
 */
export function layersOf(
  repository: FileSettings,
  organisation: OrganisationShare | null,
  invalid: SettingsLayer['source'] | null = null,
): SettingsLayer[] {
  const given: SettingsLayer[] = [
    { source: 'organisation', settings: organisation?.settings ?? {} },
    { source: 'repository', settings: repository },
  ]
  // Work that a valid file has switched off is not computed either.
  const isOff = invalid !== null && settingsOf(given).comment.mode === 'off'
  const is_left_out = invalid === null && organisation?.is_included === false
  const silenced = is_left_out ? 'organisation' : invalid
  if (silenced === null || isOff) return given
  return [...given, { source: silenced, settings: { comment: { mode: 'shadow' } }, is_left_out }]
}

/** The effective settings of layers, the strongest last: key by key, inside `comment` too. */
export function settingsOf(layers: SettingsLayer[]): Settings {
  const given = layers.map(({ settings }) => namesOf(settings))
  const all = Object.assign({}, DEFAULT_SETTINGS, ...given)
  return {
    ...all,
    comment: Object.assign({}, DEFAULT_SETTINGS.comment, ...given.map(({ comment }) => comment)),
  }
}

/** The source of each key, such as `comment.mode`. */
export function sourcesOf(layers: SettingsLayer[]): Record<string, SettingsSource> {
  const { comment, ...others } = DEFAULT_SETTINGS
  const sources: Record<string, SettingsSource> = {}
  const add = (source: SettingsSource, settings: object, fields: object) => {
    for (const key of Object.keys(settings)) sources[key] = source
    for (const key of Object.keys(fields)) sources[`comment.${key}`] = source
  }
  add('default', others, comment)
  for (const { source, settings } of layers) {
    const { comment: fields, ...rest } = namesOf(settings)
    add(source, rest, fields)
  }
  return sources
}

/** The settings of a file, its mode as a word. */
function namesOf({ comment: { mode, ...comment } = {}, repositories: _, ...others }: FileSettings) {
  const word = typeof mode === 'boolean' ? (mode ? ('on' as const) : ('off' as const)) : mode
  return { ...others, comment: { ...comment, ...(word !== undefined && { mode: word }) } }
}

/** What the settings of an organisation say about the repository of this name. */
export function shareOf(organisation: FileSettings, name: string): OrganisationShare {
  const { repositories: { include, exclude = [] } = {}, ...settings } = organisation
  const isNamed = (globs: string[]) =>
    matchesName(
      globs.map((glob) => glob.toLowerCase()),
      name.toLowerCase(),
    )
  return { settings, is_included: (include === undefined || isNamed(include)) && !isNamed(exclude) }
}
