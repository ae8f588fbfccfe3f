/** Bundles the command and the client from dist/, with all packages that they use. */
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'

/** Writes the bundle to `out`. Returns the paths of the modules in it. */
export async function bundlePackage(options: {
  root: string
  out: string
  version: string
}): Promise<string[]> {
  const { root, out, version } = options
  const modules = new Set<string>()
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    plugins: [
      {
        name: 'version',
        // dist/base/version.js reads the package.json of the repository.
        load: (id) =>
          id === join(root, 'dist/base/version.js')
            ? `export const VERSION = ${JSON.stringify(version)}`
            : undefined,
        generateBundle: (_, bundle) => {
          for (const chunk of Object.values(bundle))
            if (chunk.type === 'chunk') for (const id of chunk.moduleIds) modules.add(id)
        },
      },
    ],
    build: {
      ssr: true,
      target: 'node20',
      outDir: out,
      minify: true,
      rolldownOptions: {
        input: { cli: join(root, 'dist/cli.js'), client: join(root, 'dist/client/client.js') },
        external: [/^node:/],
        output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  await chmod(join(out, 'cli.js'), 0o755)
  return [...modules]
}
