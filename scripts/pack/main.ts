/**
 * `npm run pack:cli` and `npm run pack:server` pack what people install without a clone (`-- --out DIR`: where to): the command
 * with the typed client, without dependencies, and the service with its page, its migrations and `deconflict-admin`.
 */
import { execFileSync } from 'node:child_process'
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { bundle, bundleCommand, bundleServer, SERVER_PACKAGES } from '../bundle.ts'
import { clientTypes } from './client-types.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: '.' } },
  allowPositionals: true,
})
const kind = positionals[0] === 'server' ? 'server' : 'cli'
const STAGE = join(ROOT, 'dist/package', kind)

const root = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
const modules = new Set<string>()
const listed = {
  name: 'modules',
  generateBundle(_: unknown, chunks: object) {
    for (const chunk of Object.values(chunks)) for (const id of chunk.moduleIds ?? []) modules.add(id)
  },
}

async function stageCommand(): Promise<object> {
  const out = join(STAGE, 'dist')
  await bundleCommand(out, [listed])
  // A library for other programs, which import it as an ES module.
  await bundle({ input: { client: join(ROOT, 'src/client/client.ts') }, out, plugins: [listed] })
  await writeFile(join(out, 'client.d.ts'), await clientTypes(ROOT))
  return {
    name: root.name,
    description: root.description,
    mcpName: root.mcpName,
    bin: { deconflict: 'dist/cli.cjs' },
    exports: { './client': { types: './dist/client.d.ts', default: './dist/client.js' } },
  }
}

async function stageServer(): Promise<object> {
  const out = join(STAGE, 'dist')
  const flags = ['-p', 'tsconfig.build.json', '--noCheck', '--noResolve', '--outDir', out]
  execFileSync(process.execPath, ['node_modules/.bin/tsc', ...flags], { cwd: ROOT })
  await bundleServer(out, [listed])
  await build({
    configFile: join(ROOT, 'src/page/vite.config.mts'),
    logLevel: 'warn',
    plugins: [listed],
    build: { outDir: join(out, 'web') },
  })
  for (const app of ['app.yml', 'app.readonly.yml']) await copyFile(join(ROOT, app), join(STAGE, app))
  await cp(join(ROOT, 'drizzle'), join(STAGE, 'drizzle'), { recursive: true })
  return {
    name: 'deconflict-server',
    description: 'The service of Deconflict: the page, pull requests, and who works on what, for a team.',
    bin: { 'deconflict-server': 'dist/main.js', 'deconflict-admin': 'dist/admin.js' },
    // These load files by their own path, such as the database and programs for each platform, so they cannot be bundled.
    dependencies: Object.fromEntries(SERVER_PACKAGES.map((name) => [name, root.dependencies[name]])),
    files: [
      'dist/{main,admin}.js',
      'dist/{chunks,web}/**',
      'dist/vocabulary/root.js',
      'drizzle/**/*.{sql,json}',
      'app*.yml',
      'THIRD_PARTY_LICENSES',
    ],
  }
}

/** Licenses that name no authors, with a file of the same text. The Unlicense asks for none. */
const WITHOUT_AUTHORS: Record<string, string> = {
  'Apache-2.0': join(ROOT, 'node_modules/@electric-sql/pglite/LICENSE'),
  Unlicense: '',
}

/** The licenses of bundled modules, which must be distributed with the code. Throws if a package has no license file. */
async function licensesOf(modules: Iterable<string>): Promise<string> {
  const packages = [...modules].flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [])
  const texts: string[] = []
  for (const directory of [...new Set(packages)].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
    const file = (await readdir(directory)).find((each) => /^licen[cs]e/i.test(each))
    const source = file ? join(directory, file) : WITHOUT_AUTHORS[license]
    if (source === undefined) throw new Error(`${name} has no license file`)
    const text = source && (await readFile(source, 'utf8'))
    texts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`)
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

await rm(STAGE, { recursive: true, force: true })
await mkdir(STAGE, { recursive: true })
const own = await (kind === 'server' ? stageServer() : stageCommand())
await writeFile(join(STAGE, 'THIRD_PARTY_LICENSES'), await licensesOf(modules))
await copyFile(join(ROOT, 'LICENSE'), join(STAGE, 'LICENSE'))
await copyFile(join(ROOT, `scripts/pack/${kind}.md`), join(STAGE, 'README.md'))
/** Set in workflows of GitHub. npm requires the repository for a package with provenance. */
const { GITHUB_REPOSITORY } = process.env
const manifest = {
  ...own,
  version: root.version,
  license: root.license,
  type: 'module',
  ...(GITHUB_REPOSITORY && {
    repository: { type: 'git', url: `git+https://github.com/${GITHUB_REPOSITORY}.git` },
  }),
  engines: root.engines,
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
