/**
 * Bundles modules with all that they import, so that a process loads few files and starts in half the time.
 * `tsx scripts/bundle.ts` bundles the command into dist/, and the programs of the server there in place, as the build does.
 */
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, normalizePath, type Plugin } from 'vite'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface BundleOptions {
  /** Name of each bundle below `out` → path of its module. */
  input: Record<string, string>
  out: string
  /** What stays a file or package of its own, besides the modules of Node. */
  external?: (string | RegExp)[]
  minify?: boolean
  /** If true, the bundles are CommonJS: people and agents wait for the command, and ES modules take longer to load. */
  commonjs?: boolean
  /** The paths under which a CommonJS bundle requires its external modules. */
  paths?: Record<string, string>
  plugins?: Plugin[]
}

export async function bundle(options: BundleOptions): Promise<void> {
  const { input, out, external = [], minify = true, commonjs = false, paths, plugins = [] } = options
  const extension = commonjs ? 'cjs' : 'js'
  await build({
    configFile: false,
    logLevel: 'warn',
    plugins,
    ssr: { noExternal: true, external: external.filter((each) => typeof each === 'string') },
    build: {
      ssr: true,
      target: 'node20',
      outDir: out,
      emptyOutDir: false,
      minify,
      rolldownOptions: {
        input,
        external: [/^node:/, ...external],
        output: {
          format: commonjs ? 'cjs' : 'esm',
          entryFileNames: `[name].${extension}`,
          chunkFileNames: `chunks/[name].${extension}`,
          // One entry is one file. `import()` in CommonJS would load the loader of ES modules.
          ...(commonjs && { paths, dynamicImportInCjs: false, codeSplitting: Object.keys(input).length > 1 }),
        },
      },
    },
  })
}

/**
 * Writes the command `deconflict` to `out`, for the checkout and for the package alike: `cli.cjs` with the hooks, which agents
 * wait for, and one bundle for everything else.
 */
export async function bundleCommand(out: string, plugins: Plugin[] = []): Promise<void> {
  const source = (name: string) => normalizePath(join(ROOT, 'src', `${name}.ts`))
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const withVersion: Plugin = {
    name: 'version',
    // The original reads package.json.
    load: (id) =>
      id === source('vocabulary/version') ? `export const VERSION = ${JSON.stringify(version)}` : undefined,
  }
  const common = { out, commonjs: true, plugins: [withVersion, ...plugins] }
  const others = {
    program: source('cli/program'),
    'mcp-stdio': source('cli/mcp-stdio'),
    'proxy-fetch': source('cli/proxy-fetch'),
    'local-client': source('local/local-client'),
  }
  await bundle({
    ...common,
    input: { cli: source('cli') },
    external: Object.values(others),
    paths: Object.fromEntries(Object.entries(others).map(([name, path]) => [path, `./${name}.cjs`])),
  })
  await bundle({ ...common, input: others })
  await chmod(join(out, 'cli.cjs'), 0o755)
}

/** What the bundle of the server loads as packages: they load files by their own path, or are loaded only where they are configured. */
export const SERVER_PACKAGES = ['@electric-sql/pglite', 'fs-native-extensions', 'pino', 'probot']

/** Bundles the programs of the server in place, in the folder that tsc wrote. */
export function bundleServer(dist: string, plugins: Plugin[] = []): Promise<void> {
  return bundle({
    input: { main: join(dist, 'main.js'), admin: join(dist, 'admin.js') },
    out: dist,
    // Stacks in the log name functions.
    minify: false,
    external: [/\/vocabulary\/root\.js$/, ...SERVER_PACKAGES],
    plugins,
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = join(ROOT, 'dist')
  await bundleCommand(dist)
  await bundleServer(dist)
}
