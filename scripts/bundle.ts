/**
 * Bundles modules with all that they import, so that a process loads few files and starts in half the time.
 * `tsx scripts/bundle.ts` bundles the programs of dist/ in place, as the build does.
 */
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
const PROGRAMS = ['main', 'admin', 'cli/program', 'cli/mcp-stdio', 'cli/proxy-fetch']

interface BundleOptions {
  /** Name of each bundle below `out` → path of its module. */
  input: Record<string, string>
  out: string
  /** What stays a file or package of its own, besides the modules of Node. */
  external?: (string | RegExp)[]
  minify?: boolean
  /** If true, each bundle is one CommonJS file: agents wait for hooks, and an ES module takes longer to load. */
  commonjs?: boolean
  plugins?: Plugin[]
}

export async function bundle(options: BundleOptions): Promise<void> {
  const { input, out, external = [], minify = true, commonjs = false, plugins = [] } = options
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
          entryFileNames: commonjs ? '[name].cjs' : '[name].js',
          chunkFileNames: 'chunks/[name].js',
          ...(commonjs && { codeSplitting: false }),
        },
      },
    },
  })
}

const inDist = (names: string[]) => Object.fromEntries(names.map((name) => [name, `${DIST}${name}.js`]))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // With the hooks; the other commands are imported.
  const external = [/\/(?:cli\/program|cli\/mcp-stdio|cli\/proxy-fetch|vocabulary\/version)\.js$/]
  await bundle({ input: inDist(['cli']), out: DIST, external, commonjs: true })
  await bundle({
    input: inDist(PROGRAMS),
    out: DIST,
    // Stacks in the log name functions.
    minify: false,
    external: [
      /\/vocabulary\/root\.js$/,
      // These load files by their own path, or are loaded only where they are configured.
      'fs-native-extensions',
      '@electric-sql/pglite',
      'pino',
      'probot',
      /^@opentelemetry\//,
    ],
  })
}
