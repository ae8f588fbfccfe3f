/** Classifies paths as noise, files whose conflicts are mechanical: by their names, the settings, and the root `.gitattributes` (docs/contract/lines.md#noise). Pure. */
import { Deadline } from '../../vocabulary/clock.ts'
import { paths } from '../../vocabulary/contract/scope.ts'
import { NOISE_CLASSES, type NoiseClass } from '../../vocabulary/contract/settings.ts'
import { BINARIES } from '../../vocabulary/file-number.ts'
import { type Glob, matchesPath, parseGlob } from '../../vocabulary/scope/glob.ts'

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

/** A pattern, with or without quotes, and the rest of the line, with the blanks of git. */
const RULE = /^(?:"((?:[^"\\]|\\.)*)"|([^ \t\r"#[!][^ \t\r]*|\[(?!attr\])[^ \t\r]*))[ \t\r]+(.*)$/s

function readRule(line: string): AttributeRule | null {
  const [, quoted, bare, attributes] = RULE.exec(line) ?? []
  if (attributes === undefined) return null
  const says: AttributeRule['says'] = {}
  for (const attribute of attributes.split(/[ \t\r]+/)) {
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
  return paths.safeParse([exact]).success ? exact : null
}

const LOCKS = words(`
  package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
  cargo.lock go.sum go.work.sum gemfile.lock composer.lock
  poetry.lock uv.lock pdm.lock pixi.lock pipfile.lock conda.lock conda-lock.yml conda-lock.yaml
  flake.lock mix.lock pubspec.lock podfile.lock package.resolved
  packages.lock.json paket.lock gradle.lockfile renv.lock gopkg.lock .terraform.lock.hcl`)

const VENDORED = words(`
  vendor vendored node_modules third_party third-party bower_components godeps pods carthage/build`)

/** Extensions of changelogs. */
const DOCUMENTS = words('md mdx markdown rst txt adoc asciidoc org textile rdoc html')
/** Extensions of the files in a changelog directory, which can also be data files. */
const FRAGMENTS = [...DOCUMENTS, 'yml', 'yaml', 'json', 'toml']

const CHANGELOG = '/(?:changelog|changes|history|release[-_]?notes|releases|news)(?:[-_.]?v?[0-9][0-9.x_-]*)?'

/**
 * Regular expressions for paths in the form `/src/a.ts`, and directories in the form `/src/`. No repeated part matches a
 * `/`, so a test takes linear time.
 */
const EXPRESSIONS: Record<NoiseClass, string[]> = {
  lock: [name(LOCKS)],
  vendored: [beneath(VENDORED), '/\\.pnp\\.[^/]+/?$'],
  generated: [
    beneath(['dist', '__generated__', 'generated']),
    '(?:\\.min\\.(?:js|css)|\\.map|\\.bundle\\.js|\\.pb\\.(?:go|cc|h|ts)|_pb2(?:_grpc)?\\.pyi?)/?$',
    '(?:[._]generated\\.[^./]+|\\.(?:g|freezed)\\.dart|\\.designer\\.cs|/zz_generated[^/]*)/?$',
  ],
  snapshot: [beneath(['__snapshots__']), '(?:\\.(?:snap|ambr|golden)|_golden\\.[^./]+)/?$'],
  changelog: [
    beneath(['changelog.d', 'newsfragments', '.changeset', 'upcoming_changes']),
    `${CHANGELOG}\\.(?:${DOCUMENTS.join('|')})/?$`,
  ],
  manifest: [name(['go.mod', 'go.work', 'vendor.mod'])],
  binary: [`\\.(?:${BINARIES})/?$`],
}

/** A changelog without an extension. A directory of code can have the same name. */
const BARE_CHANGELOG = `${CHANGELOG}/?$`
/** A changelog directory can also contain code, so only the documents in it are noise. */
const IN_CHANGELOGS = beneath(['changelog', 'changelogs'])
const DOCUMENT = `/[^./]+$|\\.(?:${FRAGMENTS.join('|')})/?$`

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

function name(names: string[]): string {
  return `/(?:${names.map(escaped).join('|')})/?$`
}

function beneath(directories: string[]): string {
  return `/(?:${directories.map(escaped).join('|')})/`
}

function escaped(text: string): string {
  return text.replaceAll('.', '\\.')
}

/** Without the flag `u`, only ASCII letters match in either case. */
const compiled = new Map(NOISE_CLASSES.map((noise) => [noise, either(EXPRESSIONS[noise])]))
const [isBareChangelog, isInChangelogs, isDocument] = [BARE_CHANGELOG, IN_CHANGELOGS, DOCUMENT].map((each) =>
  either([each]),
) as [RegExp, RegExp, RegExp]

function either(expressions: string[]): RegExp {
  return new RegExp(expressions.join('|'), 'i')
}

const ofAnyClass = either([...Object.values(EXPRESSIONS).flat(), BARE_CHANGELOG, IN_CHANGELOGS])

/** Whether `isNamed` may be true for any class. Few paths are of one, and this is ten times as fast as asking for each. */
export function mayBeNamed(path: string): boolean {
  return ofAnyClass.test(`/${path}/`)
}

/**
 * Whether a path belongs to a class by its name alone. `is_file`: nothing lies beneath the path. Any other path may be a
 * directory, which belongs to a class if everything in it does.
 */
export function isNamed(path: string, noise: NoiseClass, { is_file }: { is_file: boolean }): boolean {
  const subject = is_file ? `/${path}` : `/${path}/`
  if (compiled.get(noise)?.test(subject)) return true
  if (noise !== 'changelog') return false
  if (isBareChangelog.test(subject)) return is_file || !path.includes('/')
  return isInChangelogs.test(subject) && isDocument.test(subject)
}
