/** What the `.gitattributes` at the root of a repository says of noise: generated, vendored, merged by union (contract §11). Pure. */
import type { Budget } from '../base/budget.ts'
import { type Glob, GlobError, parseGlob } from '../scope/glob.ts'
import { matchesPath } from '../scope/intersect.ts'
import type { NoiseClass } from './noise-names.ts'

const LENGTH_MAX = 262_144
/** Rules that say something of noise; those beyond are left out. */
const RULES_MAX = 500
/** Units of the glob engine for one path. Rules that it does not reach say nothing. */
const PATH_COST_MAX = 20_000

/** Merging both sides' lines is for logs that grow at one place. */
const CLASS_OF: Record<string, NoiseClass> = {
  'linguist-generated': 'generated',
  'linguist-vendored': 'vendored',
  merge: 'changelog',
}

interface Rule {
  glob: Glob
  /** Null: an earlier rule is taken back. */
  says: Map<NoiseClass, boolean | null>
}

/** Whether a path is declared to be of a class, or not to be; null if nothing is said. */
export type Attributes = (path: string, noise: NoiseClass) => boolean | null

/** Never throws: what cannot be read says nothing, as in git. */
export function readGitAttributes(text: string): Attributes {
  const rules: Rule[] = []
  for (const line of text.slice(0, LENGTH_MAX).split('\n')) {
    const rule = readRule(line.trim())
    if (rule !== null) rules.push(rule)
    if (rules.length === RULES_MAX) break
  }
  // The last rule that matches wins.
  rules.reverse()
  return (path, noise) => {
    const budget: Budget = { remaining: PATH_COST_MAX }
    const rule = rules.find(({ glob, says }) => says.has(noise) && matchesPath(glob, path, budget))
    return rule?.says.get(noise) ?? null
  }
}

/** A pattern, bare or in quotes, and what follows it. */
const RULE = /^(?:"((?:[^"\\]|\\.)*)"|([^\s"#[!][^\s]*|\[(?!attr\])[^\s]*))\s+(.*)$/

function readRule(line: string): Rule | null {
  const [, quoted, bare, attributes] = RULE.exec(line) ?? []
  if (attributes === undefined) return null
  const says = new Map<NoiseClass, boolean | null>()
  for (const attribute of attributes.split(/\s+/)) {
    const [, sign, name = '', value] = /^([-!]?)([^=]+)(?:=(.*))?$/.exec(attribute) ?? []
    const noise = CLASS_OF[name]
    if (noise === undefined) continue
    const isSet = name === 'merge' ? value === 'union' : sign === '' && value !== 'false'
    says.set(noise, sign === '!' ? null : isSet)
  }
  const glob = says.size > 0 ? globOf(quoted ?? (bare as string)) : null
  return glob === null ? null : { glob, says }
}

/** The glob that matches what git's pattern matches; null if there is none. */
function globOf(pattern: string): Glob | null {
  if (pattern.endsWith('/')) return null
  const anchored = pattern.replace(/\\([ "])/g, '$1').replace(/[{}]/g, '\\$&')
  const rooted = anchored.includes('/') ? anchored.replace(/^\//, '') : `**/${anchored}`
  // A plain name at the end of a glob covers what lies beneath it, which git's does not. A class of one character does not.
  const last = rooted.slice(rooted.lastIndexOf('/') + 1)
  const exact = /[*?[\\]/.test(last) ? rooted : rooted.replace(/\w$/, '[$&]')
  try {
    return parseGlob(exact)
  } catch (error) {
    if (error instanceof GlobError) return null
    throw error
  }
}
