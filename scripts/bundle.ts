/**
 * Bundles modules of dist/ in place, each with all that it imports: a command that loads one file starts faster.
 * `tsx scripts/bundle.ts` bundles the hooks of coding agents, as the build does.
 */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
/** Run by coding agents, which wait for it. */
const HOOK = 'surfaces/cli/hook/hook.js'

interface BundleOptions {
  /** Path of the module in dist/; the bundle replaces it. */
  module: string
  /** Packages that are loaded from node_modules when they are needed. */
  external: (string | RegExp)[]
}

export async function bundle({ module, external }: BundleOptions): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: external.filter((each) => typeof each === 'string') },
    build: {
      ssr: `${DIST}${module}`,
      target: 'node20',
      outDir: DIST,
      emptyOutDir: false,
      sourcemap: true,
      minify: true,
      rolldownOptions: {
        external,
        output: { entryFileNames: module, format: 'esm', codeSplitting: false },
      },
    },
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await bundle({ module: HOOK, external: [/^node:/, 'fs-native-extensions'] })
