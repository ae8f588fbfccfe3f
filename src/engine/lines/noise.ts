/** Classifies paths and changed files as noise, by their names, the settings, and the root `.gitattributes` (docs/contract/lines.md#noise). Pure. */
import { Deadline } from '../../vocabulary/clock.ts'
import { isNamed, mayBeNamed, NOISE_CLASSES, type NoiseClass } from '../../vocabulary/noise-names.ts'
import { type Glob, GlobError, matchesPath, parseGlob } from '../../vocabulary/scope/glob.ts'
import { type FileChange, isBinary } from './change.ts'

export { NOISE_CLASSES, type NoiseClass }

/** Whether a repository's `.gitattributes` puts a path into a class; null if no rule applies. */
export type Attributes = (path: string, noise: NoiseClass) => boolean | null

/** The noise rules of a repository. Its settings take precedence over its `.gitattributes`, and these over the default names. */
export interface NoiseRules {
  /** Globs of additional files, by class. */
  paths: Partial<Record<NoiseClass, readonly Glob[]>>
  /** False for a disabled class. A class that is missing is enabled. */
  classes: Partial<Record<NoiseClass, boolean>>
  attributes: Attributes | null
  /** When it is over, globs are ignored: anybody who changes the settings may make them expensive. */
  deadline: Deadline
}

export const DEFAULT_NOISE: NoiseRules = {
  paths: {},
  classes: {},
  attributes: null,
  deadline: new Deadline(),
}

/** The noise class of a change; null if it is not noise. */
export function noiseOf(change: FileChange, rules: NoiseRules): NoiseClass | null {
  const named = noiseOfPath(change.path, rules, true)
  return named ?? (isOn('binary', rules) && isBinary(change) ? 'binary' : null)
}

/**
 * The noise class of a path by its name, the settings and the attributes; null if it has none. `is_file`: nothing lies
 * beneath the path.
 */
export function noiseOfPath(path: string, rules: NoiseRules, is_file: boolean): NoiseClass | null {
  const { paths, attributes, deadline } = rules
  const hasName = mayBeNamed(path)
  const isOf = (noise: NoiseClass) => {
    if (paths[noise]?.some((glob) => !deadline.isOver && matchesPath(glob, path))) return true
    const said = attributes && !deadline.isOver ? attributes(path, noise) : null
    return said ?? (hasName && isNamed(path, noise, { is_file }))
  }
  return NOISE_CLASSES.find((noise) => isOn(noise, rules) && isOf(noise)) ?? null
}

export function isOn(noise: NoiseClass, { classes }: Pick<NoiseRules, 'classes'>): boolean {
  return classes[noise] !== false
}

const LENGTH_MAX = 262_144
/** The maximum number of rules about noise, and of characters of their globs. Further ones are ignored. */
const RULES_MAX = 500
const GLOBS_LENGTH_MAX = 16_384

/** `merge=union` is for logs to which both sides append. */
const CLASS_OF: Record<string, NoiseClass> = {
  'linguist-generated': 'generated',
  'linguist-vendored': 'vendored',
  merge: 'changelog',
}

/** A stored rule: a glob, and whether its files belong to a class. Null revokes an earlier rule. */
export interface AttributeRule {
  glob: string
  says: Partial<Record<NoiseClass, boolean | null>>
}

/** The rules about noise in the text of a `.gitattributes` file, in order. Never throws: invalid lines are ignored, as in git. */
export function readGitAttributes(text: string): AttributeRule[] {
  const rules: AttributeRule[] = []
  let length = 0
  for (const line of text.slice(0, LENGTH_MAX).split('\n')) {
    const rule = readRule(line.trim())
    if (rule === null) continue
    length += rule.glob.length
    if (length > GLOBS_LENGTH_MAX) break
    rules.push(rule)
    if (rules.length === RULES_MAX) break
  }
  return rules
}

export function attributesOf(rules: readonly AttributeRule[]): Attributes {
  // The last rule that matches wins.
  const compiled = rules.map(({ glob, says }) => ({ glob: parseGlob(glob), says })).reverse()
  return (path, noise) =>
    compiled.find(({ glob, says }) => noise in says && matchesPath(glob, path))?.says[noise] ?? null
}

/** A pattern, with or without quotes, and the rest of the line. */
const RULE = /^(?:"((?:[^"\\]|\\.)*)"|([^\s"#[!][^\s]*|\[(?!attr\])[^\s]*))\s+(.*)$/

function readRule(line: string): AttributeRule | null {
  const [, quoted, bare, attributes] = RULE.exec(line) ?? []
  if (attributes === undefined) return null
  const says: AttributeRule['says'] = {}
  for (const attribute of attributes.split(/\s+/)) {
    const [, sign, name = '', value] = /^([-!]?)([^=]+)(?:=(.*))?$/.exec(attribute) ?? []
    const noise = Object.hasOwn(CLASS_OF, name) ? CLASS_OF[name] : undefined
    if (noise === undefined) continue
    const isSet = name === 'merge' ? value === 'union' : sign === '' && value !== 'false'
    says[noise] = sign === '!' ? null : isSet
  }
  const glob = Object.keys(says).length > 0 ? globOf(quoted ?? (bare as string)) : null
  return glob === null ? null : { glob, says }
}

/** The glob that is equivalent to a git pattern; null if there is none. */
function globOf(pattern: string): string | null {
  if (pattern.endsWith('/') || pattern.includes('\0')) return null
  const anchored = pattern.replace(/\\([ "])/g, '$1').replace(/[{}]/g, '\\$&')
  const rooted = anchored.includes('/') ? anchored.replace(/^\//, '') : `**/${anchored}`
  // Unlike in git, a plain name at the end of a glob also matches everything beneath it. Writing its last character as a
  // class (`[s]`) prevents that.
  const last = rooted.slice(rooted.lastIndexOf('/') + 1)
  const exact = /[*?[\\]/.test(last) ? rooted : rooted.replace(/\w$/, '[$&]')
  return isGlob(exact) ? exact : null
}

function isGlob(text: string): boolean {
  try {
    parseGlob(text)
    return true
  } catch (error) {
    if (error instanceof GlobError) return false
    throw error
  }
}
