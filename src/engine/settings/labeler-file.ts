/** Reads areas from the configuration file of the labeler action (docs/contract/settings.md#areas-from-the-labeler). Pure. */
import { label, labelKey, paths } from '../../vocabulary/contract/scope.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { readYaml } from './yaml-file.ts'

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
