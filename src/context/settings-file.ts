/** Reads a repository's settings file, and says what is wrong with it and where (contract §8). Pure. */
import { formatPath, type Problem, problemsOf } from '../base/parse.ts'
import { FileSettings, type SettingsProblem } from './settings.ts'
import { readYaml } from './yaml-file.ts'

const PROBLEMS_MAX = 20
const MESSAGE_MAX = 500

export interface SettingsFile {
  /** What the file sets, and nothing else; null when anything is wrong with it. */
  settings: FileSettings | null
  /** In the order of the file. */
  errors: SettingsProblem[]
}

/** Reads the YAML of `.github/deconflict.yml`. Never throws. */
export function readSettingsFile(text: string): SettingsFile {
  const { value, problems, lineOf } = readYaml(text)
  if (problems.length > 0) {
    const errors = problems.map(({ line, path, message }) => {
      const key = path.length > 0 ? formatPath(path) : null
      return { line, key, message: key === null ? message : `${key}: ${message}` }
    })
    return refused(errors)
  }
  if (value === null) return { settings: {}, errors: [] }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return refused([{ line: lineOf([], 'value'), key: null, message: 'the file must hold keys and values' }])
  }
  const parsed = FileSettings.safeParse(value)
  if (!parsed.success) {
    const wrong = onePerKey(problemsOf(FileSettings, value, { error: parsed.error, noun: 'key' }))
    return refused(
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

/** A value may break two rules: a number of 30 digits is over the bound, and no whole number for certain. The last is ours. */
function onePerKey(problems: Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem.path), problem])).values()]
}

function refused(errors: SettingsProblem[]): SettingsFile {
  const told = errors.map(({ line, key, message }) => ({
    line,
    key: key && printable(key),
    message: printable(message),
  }))
  return { settings: null, errors: told.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
}

/** The file's own words are quoted: cut, and without what no database stores (NUL, half a character) and what no reader sees. */
function printable(text: string): string {
  const short = text.length > MESSAGE_MAX ? `${text.slice(0, MESSAGE_MAX)}…` : text
  return short.replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, '\ufffd')
}
