/** `deconflict/client` as an installed package: its types, and its calls to the built service. */
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const shop = inject('shared_service')
let home: TemporaryDirectory

beforeAll(async () => {
  home = await temporaryDirectory('client')
  await mkdir(join(home.path, 'node_modules'))
  await symlink(ROOT, join(home.path, 'node_modules/deconflict'))
  await symlink(join(ROOT, 'node_modules/@types'), join(home.path, 'node_modules/@types'))
  await writeFile(join(home.path, 'package.json'), '{"type": "module"}')
})
afterAll(() => home.remove())

const PROGRAM = `
import { createClient, DeconflictError } from 'deconflict/client'
const client = createClient({ base_url: process.argv[2] ?? '', token: 'tok-ada' })
const shop = { owner: 'acme', repo: 'client' }
const { activity } = await client.createActivity({
  ...shop,
  input: { title: 'Retry payments', summary: 'Twice.', actor: 'Ada', branch: 'retries', scope: { paths: ['src/pay/**'] } },
})
const check = await client.checkOverlap({ ...shop, input: { branch: 'tidy', scope: { paths: ['src/**/a.ts'] } } })
const example: string | undefined = check.matches[0]?.paths[0]?.example
const { items } = await client.listActivities({ ...shop, input: { has_pr: false, limit: 1 } })
const refused: unknown = await client
  .updateActivity({ ...shop, id: activity.id, input: { title: '' } })
  .catch((error: unknown) => error instanceof DeconflictError && [error.type, error.param, typeof error.request_id])
console.log(JSON.stringify({ same: items[0]?.id === activity.id, example, refused }))
`

const WRONG = `
import { createClient } from 'deconflict/client'
const client = createClient({ base_url: '', token: '' })
const shop = { owner: 'acme', repo: 'client' }
void client.getActivity(shop)
void client.createActivity({ ...shop, input: { title: 'No summary' } })
void client.updateActivity({ ...shop, id: 'act_1', input: { risk: 'huge' } })
void client.listActivities({ ...shop, input: { limit: '1' } })
void client.heartbeatActivity({ ...shop, id: 'act_1', idempotency_key: 'a' })
`

test('a program that uses the client compiles and runs, and types reject what the service would', async () => {
  await writeFile(join(home.path, 'program.ts'), PROGRAM)
  await writeFile(join(home.path, 'wrong.ts'), WRONG)
  const options = '--strict --module nodenext --target es2023 --skipLibCheck --types node'.split(' ')
  const compiled = run(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'program.ts', 'wrong.ts'], {
    cwd: home.path,
  })
  const { stdout: errors } = await compiled.catch(({ stdout }: { stdout: string }) => ({ stdout }))
  const places = [...errors.matchAll(/^(\w+\.ts)\((\d+),/gm)].map(([, file, line]) => `${file}:${line}`)
  expect(places).toEqual([5, 6, 7, 8, 9].map((line) => `wrong.ts:${line}`))
  const ran = await run(process.execPath, ['program.js', shop.url], { cwd: home.path })
  expect(JSON.parse(ran.stdout)).toEqual({
    same: true,
    example: 'src/pay/a.ts',
    refused: ['validation_error', 'title', 'string'],
  })
})
