/** The recipe of the image without a container engine: what it builds from the files that it copies, and no others, starts and is healthy. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

interface Instruction {
  name: string
  value: string
}

let scratch: TemporaryDirectory
/** The folder `/app` of the image. */
let app: string
let image: Instruction[]

beforeAll(async () => {
  scratch = await temporaryDirectory('image')
  const [first = [], last = []] = stagesOf(await readFile(join(ROOT, 'Dockerfile'), 'utf8'))
  const built = join(scratch.path, 'build')
  await mkdir(built)
  for (const { name, value } of first) {
    if (name === 'COPY') await copy(value, { build: ROOT, to: built })
    // The packages were installed by the same command, with those for development.
    else if (value.startsWith('npm ci ')) await run('cp', ['-al', join(ROOT, 'node_modules'), built])
    else if (name === 'RUN') await run('sh', ['-c', value], { cwd: built, env: environment() })
  }
  app = join(scratch.path, 'app')
  image = last
  await mkdir(app)
  for (const { name, value } of last) if (name === 'COPY') await copy(value, { build: built, to: app })
})
afterAll(() => scratch.remove())

/** The instructions of each stage. */
function stagesOf(recipe: string): Instruction[][] {
  const [, ...stages] = recipe
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split(/^FROM .*$/m)
  return stages.map((stage) =>
    [...stage.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', value = '']) => ({ name, value })),
  )
}

/** What one `COPY` does. `build`: the folder `/app` of the first stage. */
async function copy(value: string, { build, to }: { build: string; to: string }): Promise<void> {
  const paths = value.replace('--from=build /app/', '').split(' ')
  const target = paths.pop() as string
  const from = value.startsWith('--from=build') ? build : ROOT
  for (const path of paths)
    await cp(join(from, path), target.endsWith('/') ? join(to, target, basename(path)) : join(to, target), {
      recursive: true,
    })
}

function environment() {
  return { PATH: process.env.PATH, HOME: scratch.path, NODE_ENV: undefined }
}

function instruction(name: string): string {
  return image.find((each) => each.name === name)?.value ?? ''
}

test('the image has the built service, its migrations and its packages, and nothing for development', async () => {
  expect((await readdir(app)).toSorted()).toEqual([
    'app.readonly.yml',
    'app.yml',
    'dist',
    'drizzle',
    'node_modules',
    'package.json',
  ])
  const packages = await readdir(join(app, 'node_modules'))
  expect(packages).toContain('drizzle-orm')
  for (const name of ['vitest', 'typescript', 'drizzle-kit', 'preact']) expect(packages).not.toContain(name)
})

test('its command starts the service, which serves the page, and its health check passes until it stops', async () => {
  const [, program] = JSON.parse(instruction('CMD')) as string[]
  const data = join(scratch.path, 'data')
  const service: ServiceProcess = await startProcess({ NODE_ENV: 'production', DATA_DIR: data }, [
    join(app, program as string),
  ])
  const page = await fetch(service.url)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>')
  const [, command] = instruction('HEALTHCHECK').split(' CMD ')
  const [node, ...args] = JSON.parse(command as string) as string[]
  const env = { ...environment(), PORT: new URL(service.url).port }
  await run(node as string, args, { env })
  expect((await service.kill('SIGTERM')).code).toBe(0)
  await expect(run(node as string, args, { env })).rejects.toMatchObject({ code: 1 })
})
