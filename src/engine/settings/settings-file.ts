/** Parses a settings file and reports its problems with their lines (docs/contract/settings.md#errors). Pure. */
import { describeProblems, formatPath, type Problem } from '../../vocabulary/contract/parse.ts'
import {
  FileSettings,
  OrganisationSettings,
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
