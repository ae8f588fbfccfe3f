/** Reads which migration a new file of Django or Alembic builds on (docs/contract/numbers.md#parents). Pure. */

/** A migration whose order is a graph. */
export interface Migration {
  /** The name by which others build on it: the revision of Alembic, the file name of Django. */
  own: string
  /** What it builds on, in the same app or revisions. Empty for the first one, a labelled branch and a squashed one. */
  parents: string[]
  /** It joins several heads. */
  is_merge: boolean
}

/** Longer names are left out, and so are further parents. */
const NAME_MAX = 200
const PARENTS_MAX = 10
/** The lists and values that are read end within this many characters. */
const VALUE_MAX = 4_000

const DJANGO_FILE = /(?:^|\/)([^/]+)\/migrations\/(\d{4}_\w+)\.py$/
const DJANGO_LIST = /^[ \t]*dependencies[ \t]*(?::[^\n=]{0,200})?=[ \t]*\[/m
const DJANGO_DEPENDENCY = /\(\s*["'](\w+)["']\s*,\s*["'](\w+)["']\s*,?\s*\)/g
const DJANGO_SQUASHED = /^[ \t]*replaces[ \t]*(?::[^\n=]{0,200})?=[ \t]*\[/m
const ALEMBIC_PARENT = /^down_revision[ \t]*(?::[^\n=]{0,200})?=[ \t]*/m
const ALEMBIC_OWN = /^revision[ \t]*(?::[^\n=]{0,200})?=[ \t]*\(?[ \t]*["']([^"'\n]+)["']/m
const ALEMBIC_LABELS = /^branch_labels[ \t]*(?::[^\n=]{0,200})?=[ \t]*(?!None\b)\S/m
const STRING = /^\(?\s*["']([^"'\n]+)["']\s*\)?(?:\s|$)/
const TUPLE = /^[([]([^)\]]*)/

/** Null unless the patch adds a migration of Django or Alembic. `patch`: of a file that is added as a whole. */
export function readMigration(path: string, patch: string): Migration | null {
  if (!path.endsWith('.py')) return null
  const text = patch.replace(/^(?:@@.*|\+(.*))/gm, (_, added?: string) => added ?? '')
  return readDjango(path, text) ?? readAlembic(text)
}

function readDjango(path: string, text: string): Migration | null {
  const [, app, own] = DJANGO_FILE.exec(path) ?? []
  const value = own === undefined ? null : valueAfter(DJANGO_LIST, text)
  if (own === undefined || value === null) return null
  const list = value.slice(0, Math.max(0, value.indexOf(']')))
  if (DJANGO_SQUASHED.test(text)) return { own, parents: [], is_merge: false }
  const named = [...list.matchAll(DJANGO_DEPENDENCY)]
  const parents = namesIn(named.flatMap(([, of, name]) => (of === app && name ? [name] : [])))
  return { own, parents, is_merge: parents.length > 1 || /_merge(?:_|$)/.test(own) }
}

function readAlembic(text: string): Migration | null {
  const value = valueAfter(ALEMBIC_PARENT, text)
  const [, own] = ALEMBIC_OWN.exec(text) ?? []
  if (value === null || own === undefined || own.length > NAME_MAX) return null
  const [, parent] = STRING.exec(value) ?? []
  const [, tuple] = parent === undefined ? (TUPLE.exec(value) ?? []) : []
  const joined = [...(tuple ?? '').matchAll(/["']([^"'\n]+)["']/g)].map(([, each]) => each as string)
  const isBranch = ALEMBIC_LABELS.test(text)
  return {
    own,
    parents: isBranch ? [] : namesIn(parent === undefined ? joined : [parent]),
    is_merge: tuple !== undefined,
  }
}

/** What follows the first match; null if there is none. */
function valueAfter(expression: RegExp, text: string): string | null {
  const found = expression.exec(text)
  if (found === null) return null
  const start = found.index + found[0].length
  return text.slice(start, start + VALUE_MAX)
}

function namesIn(names: readonly string[]): string[] {
  return [...new Set(names)].filter(({ length }) => length <= NAME_MAX).slice(0, PARENTS_MAX)
}
