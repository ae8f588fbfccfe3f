/** The number in the name of a file, such as a migration or a decision record (docs/contract/numbers.md#numbers). Pure. */

export interface Numbered {
  /** The directory of the file, without a `/` at its end; empty for the root. */
  directory: string
  /** What the name has before the number, such as `V` or `adr-`. */
  prefix: string
  /** The number as it is written, such as `0042`, or `1.2` of a version of Flyway. */
  value: string
}

/** The name of the directory itself, or of the one above it, that holds numbered files. */
const DIRECTORIES = new Set([
  'adr',
  'adrs',
  'decision',
  'decision-records',
  'decisions',
  'enhancements',
  'kep',
  'keps',
  'migrate',
  'pep',
  'peps',
  'proposals',
  'rfc',
  'rfcs',
  'versions',
])
/** A name such as `migrations`, `db_migrations` or `data-migration`. */
const MIGRATIONS = /(?:^|[_-])migrations?$/
/** Names of directories in which numbers mean something else. */
const NEVER = new Set([
  '.changeset',
  '.changes',
  '__snapshots__',
  '__tests__',
  'changelog',
  'changelog.d',
  'changelogs',
  'changes',
  'examples',
  'fixtures',
  'images',
  'news',
  'newsfragments',
  'posts',
  'releases',
  'test',
  'testdata',
  'tests',
])

/** At most four other characters, one to seven digits, and then `_`, `-`, or only the extension. */
const NUMBERED = /^(\D{0,4})(\d{1,7})(?:[_-]|\.[A-Za-z]\w*$)/
/** `V1.2__name` or `V1_2__name`, as Flyway reads it. `U` undoes a version and belongs to it. */
const FLYWAY = /^([VU])(\d+(?:[._]\d+)*)__/
/** Names of directories of proposals, in which 0 stands for a number that is not given yet. */
const PROPOSALS = new Set(['enhancements', 'kep', 'keps', 'pep', 'peps', 'proposals', 'rfc', 'rfcs'])
/** A year, a month and a day. */
const DATE = /^\D{0,4}(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])/
const TIMESTAMP_DIGITS = 8
/** Extensions of images, fonts and archives, as a part of a regular expression. */
export const BINARIES =
  'png|jpe?g|gif|ico|icns|bmp|webp|avif|tiff?|psd|woff2?|ttf|otf|eot|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|war'
const BINARY = new RegExp(`\\.(?:${BINARIES}|bin|mov|mp[34]|pdf|svg|wav|webm)$`, 'i')

/** Null if the name has no number, or one that means something else. */
export function numberOf(path: string): Numbered | null {
  const [directory, name] = [directoryOf(path), nameOf(path)]
  const isNever = directory
    .toLowerCase()
    .split('/')
    .some((each) => NEVER.has(each))
  if (BINARY.test(name) || DATE.test(name) || isNever) return null
  const flyway = FLYWAY.exec(name)
  if (flyway) {
    const parts = (flyway[2] as string).split(/[._]/)
    if (parts.some(({ length }) => length >= TIMESTAMP_DIGITS)) return null
    return { directory, prefix: flyway[1] as string, value: parts.join('.') }
  }
  const [, prefix, value] = NUMBERED.exec(name) ?? []
  if (prefix === undefined || value === undefined) return null
  if (Number(value) === 0 && namesOf(directory).some((name) => PROPOSALS.has(name))) return null
  return { directory, prefix, value }
}

/** The directory of a file, without a `/` at its end; empty for the root. */
export function directoryOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function pathIn(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}

export function isNamedForNumbers(directory: string): boolean {
  return namesOf(directory).some((name) => DIRECTORIES.has(name) || MIGRATIONS.test(name))
}

/** The names of the directory above and of the directory itself, in lower case. */
function namesOf(directory: string): string[] {
  return directory.toLowerCase().split('/').slice(-2)
}

/** The name with another number, in the same form; null if it has none. */
export function renumbered(name: string, value: string): string | null {
  const flyway = FLYWAY.exec(name)
  if (flyway) {
    const [, prefix, version] = flyway as unknown as [string, string, string]
    const written = version.includes('_') ? value.replaceAll('.', '_') : value
    return `${prefix}${written}${name.slice(prefix.length + version.length)}`
  }
  const [, prefix, before] = NUMBERED.exec(name) ?? []
  if (prefix === undefined || before === undefined) return null
  return `${prefix}${value}${name.slice(prefix.length + before.length)}`
}

/** Equal for two files that take the same number: `0042` and `42` do, and in Flyway `1` and `1.0`. */
export function numberKey({ directory, prefix, value }: Numbered): string {
  const number = value
    .split('.')
    .map((part) => part.replace(/^0+(?=\d)/, ''))
    .join('.')
    .replace(/(?:\.0)+$/, '')
  return `${directory}/${prefix.toLowerCase()}${number}`
}

/** The first number of a directory without any. */
const FIRST = '0001'

/** A number so far above the others is none of the sequence: a template such as `9999-name.md`, or a mistake. */
const GAP_MAX = 1000
/** A longer number would be a timestamp. */
const NUMBER_MAX = 10 ** (TIMESTAMP_DIGITS - 1) - 1

/** The number after the last one, in the same width; of a version its last part. */
export function nextNumber(values: readonly string[]): string {
  if (values.length === 0) return FIRST
  const parts = lastNumber(values).split('.')
  const last = parts.pop() as string
  return [...parts, String(Number(last) + 1).padStart(last.length, '0')].join('.')
}

/** The highest number of the sequence. `values` must not be empty. Of equal numbers, the first one. */
export function lastNumber(values: readonly string[]): string {
  const ascending = values
    .toSorted(compareNumbers)
    .filter((value, at, all) => at === 0 || compareNumbers(all[at - 1] as string, value) !== 0)
  const last = ascending.findLast((value, at) => {
    const number = Number.parseInt(value, 10)
    return number < NUMBER_MAX && number - Number.parseInt(ascending[at - 1] ?? value, 10) <= GAP_MAX
  })
  return last ?? (ascending[0] as string)
}

/** Negative if the first number is lower. */
export function compareNumbers(one: string, other: string): number {
  const [a, b] = [one.split('.'), other.split('.')]
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = Number(a[at] ?? -1) - Number(b[at] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}
