/** Bundles the command and the client, with all packages that they use. */
import { join } from 'node:path'
import { bundle, bundleCommand } from '../bundle.ts'

/** Writes the bundles to `out`. Returns the paths of the modules in them. */
export async function bundlePackage(root: string, out: string): Promise<string[]> {
  const modules = new Set<string>()
  const listed = {
    name: 'modules',
    generateBundle(_: unknown, chunks: object) {
      for (const chunk of Object.values(chunks)) for (const id of chunk.moduleIds ?? []) modules.add(id)
    },
  }
  await bundleCommand(out, [listed])
  // A library for other programs, which import it as an ES module.
  await bundle({ input: { client: join(root, 'src/client/client.ts') }, out, plugins: [listed] })
  return [...modules]
}
