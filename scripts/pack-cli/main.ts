/**
 * `npm run pack:cli [-- --out DIR]`: packs the command `deconflict` and the typed client as an npm package of their own,
 * bundled and without dependencies. The server ships as an image.
 */
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundle, bundleCommand } from '../bundle.ts'
import { clientTypes } from './client-types.ts'
import { licensesOf } from './licenses.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Where the package is put together. */
const STAGE = join(ROOT, 'dist/package')

const { values } = parseArgs({ options: { out: { type: 'string', default: '.' } } })

const { name, version, description, license, engines, mcpName } = JSON.parse(
  await readFile(join(ROOT, 'package.json'), 'utf8'),
)
await rm(STAGE, { recursive: true, force: true })
await mkdir(STAGE, { recursive: true })
const out = join(STAGE, 'dist')
const modules = new Set<string>()
const listed = {
  name: 'modules',
  generateBundle(_: unknown, chunks: object) {
    for (const chunk of Object.values(chunks)) for (const id of chunk.moduleIds ?? []) modules.add(id)
  },
}
await bundleCommand(out, [listed])
// A library for other programs, which import it as an ES module.
await bundle({ input: { client: join(ROOT, 'src/client/client.ts') }, out, plugins: [listed] })
await writeFile(join(STAGE, 'dist/client.d.ts'), await clientTypes(ROOT))
await writeFile(join(STAGE, 'THIRD_PARTY_LICENSES'), await licensesOf([...modules]))
await copyFile(join(ROOT, 'LICENSE'), join(STAGE, 'LICENSE'))
await copyFile(join(ROOT, 'scripts/pack-cli/README.md'), join(STAGE, 'README.md'))
/** Set in workflows of GitHub. npm requires the repository for a package with provenance. */
const { GITHUB_REPOSITORY } = process.env
const manifest = {
  name,
  version,
  description,
  license,
  type: 'module',
  mcpName,
  ...(GITHUB_REPOSITORY && {
    repository: { type: 'git', url: `git+https://github.com/${GITHUB_REPOSITORY}.git` },
  }),
  bin: { deconflict: 'dist/cli.cjs' },
  exports: { './client': { types: './dist/client.d.ts', default: './dist/client.js' } },
  engines,
}
await writeFile(join(STAGE, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
await mkdir(values.out, { recursive: true })
// npm names its program. On Windows, `npm` alone is not one.
const { npm_execpath } = process.env
const npm = npm_execpath ? [process.execPath, npm_execpath] : ['npm']
const [program = '', ...args] = [...npm, 'pack', '--json', '--pack-destination', values.out, STAGE]
const packed = execFileSync(program, args, { encoding: 'utf8' })
const [{ filename, size }] = JSON.parse(packed) as [{ filename: string; size: number }]
process.stdout.write(`${join(values.out, filename)} (${Math.round(size / 1000)} kB)\n`)
