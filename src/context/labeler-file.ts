/** Reads the areas that a repository has for its labels already, in the file of the labeler action (contract §8). Pure. */
import { label, labelKey, paths } from '../scope/scope.ts'
import type { Settings } from './settings.ts'
import { readYaml } from './yaml-file.ts'

const AREAS_MAX = 100
/** Of one label; all of them may hold wildcards. */
const GLOBS_MAX = 200
const DEPTH_MAX = 8

/** The keys below which the globs are: those of version 4, of version 5, and what both nest them in. */
const RULES_OF_FILES = new Set([
  'any',
  'all',
  'changed-files',
  'any-glob-to-any-file',
  'any-glob-to-all-files',
  'all-globs-to-any-file',
  'all-globs-to-all-files',
])

/** What the action's globs know beyond ours, which would read it as plain characters: `+(a|b)`, `{1..3}`, `# remark`. */
const BEYOND_OURS = /^#|[?*+@!]\(|\{[^{},]*\.\.[^{},]*\}/
/** What matches every file tells no part of the repository from another; beside a negated glob it is common. */
const EVERYTHING = new Set(['**', '**/*'])

/**
 * Label → globs, of versions 4 and 5 of the action's format. Rules about branches, and whatever is no glob of ours that
 * says what is touched, are left out; a file that is no YAML has no areas. Never throws.
 */
export function areasOfLabeler(text: string): Settings['areas'] {
  const areas = new Map<string, { name: string; globs: Set<string> }>()
  for (const [given, rules] of entriesOf(readYaml(text).value)) {
    const { data: name } = label.safeParse(given)
    if (name === undefined) continue
    const area = areas.get(labelKey(name)) ?? { name, globs: new Set() }
    for (const glob of globsIn(rules, 0)) {
      if (area.globs.size === GLOBS_MAX) break
      if (!EVERYTHING.has(glob) && isOurs(glob)) area.globs.add(glob)
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

function isOurs(glob: string): boolean {
  return paths.safeParse([glob]).success && !BEYOND_OURS.test(glob)
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}
