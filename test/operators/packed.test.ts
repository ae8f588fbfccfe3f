/** The packages of the command and of the service (`npm run pack:cli`, `pack:server`), in empty folders as somebody without the repository has them. */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERSION } from '../../src/vocabulary/version.ts'
import { apiAt } from '../support/api.ts'
import { type BuiltService, startBuiltService } from '../support/built-service.ts'
import { startProcess } from '../support/process.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts'
import { forTest } from '../support/use-started.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const pack = (kind: 'cli' | 'server', out: string) =>
  run(join(ROOT, 'node_modules/.bin/tsx'), ['scripts/pack/main.ts', kind, '--out', out], { cwd: ROOT })

let shop: BuiltService
let tree: WorkingTree
let home: TemporaryDirectory
let archive: string
let environment: Record<string, string>
/** The installed command. */
let command: string

beforeAll(async () => {
  shop = await startBuiltService()
  home = await temporaryDirectory('packed')
  tree = await workingTree({})
  await pack('cli', home.path)
  archive = join(home.path, `deconflict-${VERSION}.tgz`)
  environment = {
    PATH: process.env.PATH as string,
    HOME: home.path,
    DECONFLICT_URL: shop.url,
    DECONFLICT_REPO: 'acme/shop',
    GITHUB_TOKEN: 'tok-ada',
  }
  await writeFile(join(home.path, 'package.json'), '{"type": "module"}')
  const flags = ['--offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...flags, archive], { cwd: home.path, env: environment })
  command = join(home.path, 'node_modules/.bin/deconflict')
})
afterAll(async () => {
  await shop.close()
  await tree.remove()
  await home.remove()
})

test('the package has no dependencies, is small, and carries the licenses', async () => {
  expect((await stat(archive)).size).toBeLessThan(1_000_000)
  const installed = await readdir(join(home.path, 'node_modules'))
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['deconflict'])
  const root = join(home.path, 'node_modules/deconflict')
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ version: VERSION, mcpName: expect.stringContaining('/deconflict') })
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('private')
  for (const name of ['LICENSE', 'README.md', 'THIRD_PARTY_LICENSES'])
    expect((await stat(join(root, name))).size).toBeGreaterThan(500)
  expect(await readFile(join(root, 'THIRD_PARTY_LICENSES'), 'utf8')).toContain('zod ')
})

test('the package runs with npx in an empty folder', async () => {
  const empty = await forTest(temporaryDirectory('empty'))
  await copyFile(archive, join(empty.path, 'command.tgz'))
  const args = ['--yes', '--offline', './command.tgz', 'check', '--paths', 'src/a.ts']
  const ran = await run('npx', args, { cwd: empty.path, env: environment })
  expect(ran.stdout).toMatch(/^Clear: no overlap/)
})

test('a hook loads one file of the package', async () => {
  const coverage = await forTest(temporaryDirectory('coverage'))
  const env = { ...environment, NODE_V8_COVERAGE: coverage.path, DECONFLICT_HOOK_TIMEOUT_MS: '9000' }
  const child = run(command, ['hook', 'after-read', '--agent', 'claude-code'], { cwd: tree.path, env })
  child.child.stdin?.end(JSON.stringify({ session_id: 's1', cwd: tree.path }))
  expect((await child).stderr).toBe('')
  const [report = ''] = await readdir(coverage.path)
  const { result } = JSON.parse(await readFile(join(coverage.path, report), 'utf8'))
  const files = result.map(({ url }: { url: string }) => url).filter((url: string) => url.startsWith('file:'))
  expect(files.map((url: string) => basename(url))).toEqual(['cli.cjs'])
})

test('the package serves MCP', async () => {
  const client = new Client({ name: 'a-test', version: '1' })
  await client.connect(new StdioClientTransport({ command, args: ['mcp'], cwd: tree.path, env: environment }))
  const { tools } = await client.listTools()
  expect(client.getServerVersion()).toMatchObject({ version: VERSION })
  expect(tools.map(({ name }) => name)).toContain('check_overlap')
  await client.close()
})

test('the package has a client whose types are those of the source', async () => {
  const used = `const client = createClient({ base_url: process.env.DECONFLICT_URL ?? '', token: 'tok-ada' })
    const { items } = await client.listActivities({ owner: 'acme', repo: 'shop', input: { limit: 1 } })
    console.log(Array.isArray(items))`
  const program = `
    import { createClient, type Client, type ErrorType } from 'deconflict/client'
    import type { Client as Source, ErrorType as SourceError } from '${ROOT}src/client/client.ts'
    type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
    type Methods = { [Name in keyof Source]: Same<ReturnType<Source[Name]>, ReturnType<Client[Name]>> & Same<Parameters<Source[Name]>, Parameters<Client[Name]>> }
    const same: { [Name in keyof Source]: true } = null as unknown as Methods
    const names: Same<keyof Source, keyof Client> = true
    const errors: Same<ErrorType, SourceError> = true
    ${used}
  `
  const options = '--strict --module nodenext --target es2023 --lib es2024,dom --types node --noEmit'
  await symlink(join(ROOT, 'node_modules/@types'), join(home.path, 'node_modules/@types'))
  await writeFile(join(home.path, 'program.ts'), program)
  const flags = [...options.split(' '), '--skipLibCheck', '--allowImportingTsExtensions', 'program.ts']
  const compiled = await run(join(ROOT, 'node_modules/.bin/tsc'), flags, { cwd: home.path }).catch(
    (error) => error,
  )
  expect(compiled.stdout).toBe('')
  await writeFile(join(home.path, 'program.js'), `import { createClient } from 'deconflict/client'\n${used}`)
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: home.path, env: environment })
  expect(stdout.trim()).toBe('true')
})

test('the package of the service shows the first collision of a repository, without a clone', async () => {
  const empty = await forTest(temporaryDirectory('packed-server'))
  await pack('server', empty.path)
  const modules = join(empty.path, 'node_modules')
  const installed = join(modules, 'deconflict-server')
  await mkdir(installed, { recursive: true })
  const archive = join(empty.path, `deconflict-server-${VERSION}.tgz`)
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', installed])
  const { bin, dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  // As npm installs them, without the network: no other package is there.
  await mkdir(join(modules, '@electric-sql'))
  for (const name of Object.keys(dependencies))
    await symlink(join(ROOT, 'node_modules', name), join(modules, name))
  for (const author of ['ben', 'cy'])
    shop.github.github.at('acme/shop').open({ author, files: ['src/pay.ts'] })
  const HOME = empty.path
  const env = { HOME, DATA_DIR: join(HOME, 'data'), GITHUB_API_URL: shop.github.url, GITHUB_TOKEN: 'tok-ada' }
  const service = await startProcess(env, [join(installed, bin['deconflict-server']), '--watch', 'acme/shop'])
  const api = apiAt(service.url, 'tok-ada')
  await expect.poll(async () => (await api('GET', '/overlaps')).body.items.length).toBe(1)
  expect(await (await fetch(service.url)).text()).toContain('<title>')
  await service.kill('SIGTERM')
  const admin = join(installed, bin['deconflict-admin'])
  expect((await run(process.execPath, [admin, 'deliveries', 'list'], { env })).stderr).toBe('')
})
