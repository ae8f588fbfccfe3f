/** Names of files whose conflicts are mechanical, by class (docs/contract/lines.md#noise). Pure. Case is ignored. */

/** A file of several classes belongs to the first enabled one. */
export const NOISE_CLASSES = [
  'lock',
  'vendored',
  'generated',
  'snapshot',
  'changelog',
  'manifest',
  'binary',
] as const
export type NoiseClass = (typeof NOISE_CLASSES)[number]

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

const BINARIES =
  'png|jpe?g|gif|ico|icns|bmp|webp|avif|tiff?|psd|woff2?|ttf|otf|eot|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|war'

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
