/** Reads the rules about noise in the root `.gitattributes`: generated, vendored, merged by union. Pure. */
import type { NoiseClass } from '../../vocabulary/noise-names.ts'
import { GlobError, matchesPath, parseGlob } from '../../vocabulary/scope/glob.ts'
import type { Attributes } from './noise.ts'

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
