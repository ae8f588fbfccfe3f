/** Bundles the command and the client, with all packages that they use. */
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from '../bundle.ts'

/** Writes the bundle to `out`. Returns the paths of the modules in it. */
export async function bundlePackage(options: {
  root: string
  out: string
  version: string
}): Promise<string[]> {
  const { root, out, version } = options
  const modules = new Set<string>()
  await bundle({
    input: { cli: join(root, 'src/cli.ts'), client: join(root, 'src/client/client.ts') },
    out,
    plugins: [
      {
        name: 'version',
        // The original reads the package.json of the repository.
        load: (id) =>
          id === join(root, 'src/vocabulary/version.ts')
            ? `export const VERSION = ${JSON.stringify(version)}`
            : undefined,
        generateBundle: (_, chunks) => {
          for (const chunk of Object.values(chunks))
            if (chunk.type === 'chunk') for (const id of chunk.moduleIds) modules.add(id)
        },
      },
    ],
  })
  await chmod(join(out, 'cli.js'), 0o755)
  return [...modules]
}
