/** Names of files whose conflicts are mechanical, by class (contract §11). Pure. Names are compared in lower case. */

/** A file that is of several classes counts for the first that is on. */
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

const LOCKS = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'cargo.lock',
  'go.sum',
  'go.work.sum',
  'gemfile.lock',
  'composer.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'pixi.lock',
  'pipfile.lock',
  'flake.lock',
  'mix.lock',
  'pubspec.lock',
  'podfile.lock',
  'conda.lock',
  'conda-lock.yml',
  'conda-lock.yaml',
  'packages.lock.json',
  'gradle.lockfile',
  'package.resolved',
  'paket.lock',
  'renv.lock',
  'gopkg.lock',
  '.terraform.lock.hcl',
])

const MANIFESTS = new Set(['go.mod', 'go.work', 'vendor.mod'])

const VENDORED_DIRECTORIES = new Set([
  'vendor',
  'vendored',
  'node_modules',
  'third_party',
  'third-party',
  'bower_components',
  'godeps',
  'pods',
])
const VENDORED = /(?:^|\/)(?:carthage\/build\/|\.pnp\.[^/]+$)/

const GENERATED_DIRECTORIES = new Set(['dist', '__generated__', 'generated'])
const GENERATED =
  /\.min\.(?:js|css)$|\.map$|\.bundle\.js$|\.pb\.(?:go|cc|h|ts)$|_pb2(?:_grpc)?\.pyi?$|[._]generated\.[^.]+$|\.(?:g|freezed)\.dart$|\.designer\.cs$|^zz_generated/

const SNAPSHOT_DIRECTORIES = new Set(['__snapshots__'])
const SNAPSHOT = /\.(?:snap|ambr|golden)$|_golden\.[^.]+$/

const FRAGMENT_DIRECTORIES = new Set(['changelog.d', 'newsfragments', '.changeset', 'upcoming_changes'])
/** May as well be the code of a feature, so that only their documents count. */
const CHANGELOG_DIRECTORIES = new Set(['changelog', 'changelogs'])
const CHANGELOG =
  /^(?:changelog|changes|history|release[-_]?notes|releases|news)(?:[-_.]?v?\d[\d.x_-]*)?(?:\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org|textile|rdoc|html))?$/
/** A document or a fragment of one, by its extension; or a name without any. */
const DOCUMENT = /^[^.]+$|\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org|textile|rdoc|html|ya?ml|json|toml)$/

const BINARY =
  /\.(?:png|jpe?g|gif|ico|icns|bmp|webp|avif|tiff?|psd|woff2?|ttf|otf|eot|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|war)$/

/** Whether a path belongs to a class by its name alone. */
export function isNamed(path: string, noise: NoiseClass): boolean {
  const lower = path.toLowerCase()
  const directories = lower.split('/')
  const name = directories.pop() as string
  const isBeneath = (names: Set<string>) => directories.some((directory) => names.has(directory))
  switch (noise) {
    case 'lock':
      return LOCKS.has(name)
    case 'vendored':
      return isBeneath(VENDORED_DIRECTORIES) || VENDORED.test(lower)
    case 'generated':
      return isBeneath(GENERATED_DIRECTORIES) || GENERATED.test(name)
    case 'snapshot':
      return isBeneath(SNAPSHOT_DIRECTORIES) || SNAPSHOT.test(name)
    case 'changelog':
      return (
        CHANGELOG.test(name) ||
        isBeneath(FRAGMENT_DIRECTORIES) ||
        (isBeneath(CHANGELOG_DIRECTORIES) && DOCUMENT.test(name))
      )
    case 'manifest':
      return MANIFESTS.has(name)
    case 'binary':
      return BINARY.test(name)
  }
}
