/**
 * Bundles modules of dist/ in place, each with all that it imports: a command that loads one file starts faster.
 * `tsx scripts/bundle.ts` bundles the hooks of coding agents, as the build does.
 */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
/** Run by coding agents, which wait for it. */
const HOOK = 'surfaces/cli/hook/hook.js'

/** `module`: its path in dist/; the bundle replaces it. */
async function bundle(module: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: `${DIST}${module}`,
      target: 'node20',
      outDir: DIST,
      emptyOutDir: false,
      sourcemap: true,
      minify: true,
      rolldownOptions: {
        external: [/^node:/],
        output: { entryFileNames: module, format: 'esm', codeSplitting: false },
      },
    },
  })
}

await bundle(HOOK)
