/** Runs docs/tour.md and compares its output. */
import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url))
const TOUR = await readFile(new URL('../../docs/tour.md', import.meta.url), 'utf8')
const ID = /(act|ntb)_[0-9a-z]{26}/g

const hasCurl = spawnSync('curl', ['--version']).status === 0

type Person = 'ada' | 'ben'

const shop = inject('shared_service')
let trees: Record<Person, WorkingTree>
let bin: string

beforeAll(async () => {
  trees = { ada: await workingTree({}), ben: await workingTree({}) }
  bin = join(trees.ada.path, '../bin')
  await mkdir(bin)
  await chmod(CLI, 0o755)
  await symlink(CLI, join(bin, 'deconflict'))
})
afterAll(async () => {
  for (const tree of Object.values(trees)) await tree.remove()
})
afterEach(async () => {
  const api = apiAt(shop.url, 'tok-ada')
  const { body } = await api('GET', '/activity?limit=100')
  for (const { id } of body.items) await api('POST', `/activity/${id}/archive`)
})

/** The text after a heading, up to the next one. */
function section(heading: string): string {
  const [, text = ''] = TOUR.split(`\n## ${heading}\n`)
  expect(text).not.toBe('')
  return text.split(/\n##/)[0] as string
}

function blocksIn(text: string): { language: string; body: string }[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', body = '']) => ({
    language,
    body: body.trimEnd(),
  }))
}

/** Normalizes a text: numbers ids in the order in which they appear, and removes timestamps. */
function normalized(text: string): string {
  const seen = new Map<string, string>()
  return text
    .replace(ID, (id, kind) => {
      seen.set(id, seen.get(id) ?? `${kind}_${seen.size}`)
      return seen.get(id) as string
    })
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
}
const normalizedJson = (json: string) => JSON.parse(normalized(JSON.stringify(JSON.parse(json))))

function environmentOf(person: Person) {
  return {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: join(trees[person].path, '..'),
    DECONFLICT_URL: shop.url,
    DECONFLICT_REPO: 'acme/shop',
    GITHUB_TOKEN: `tok-${person}`,
  }
}

/** The output of a shell command, whatever its exit code. */
async function run(line: string, person: Person): Promise<string> {
  const options = { cwd: trees[person].path, env: environmentOf(person) }
  const ran = await promisify(execFile)('bash', ['-c', line], options).catch((error) => error)
  expect(ran.stderr).toBe('')
  return ran.stdout.trimEnd()
}

test.skipIf(!hasCurl)('curl answers what the tour shows (skipped where there is no curl)', async () => {
  const [{ body: variables = '' } = {}, ...blocks] = blocksIn(section('With curl'))
  let id = ''
  let shown = 0
  for (const [index, { language, body }] of blocks.entries()) {
    if (language !== 'sh') continue
    const person = body.includes('/activity/check') ? 'ben' : 'ada'
    const answer = await run(`${variables}\n${body.replace('act_…', id)}`, person)
    expect(Object.keys(JSON.parse(answer))).not.toContain('error')
    id = ID.exec(answer)?.[0] ?? id
    ID.lastIndex = 0
    const next = blocks[index + 1]
    if (next?.language !== 'json') continue
    expect(normalizedJson(answer)).toEqual(normalizedJson(next.body))
    shown += 1
  }
  expect(shown).toBe(2)
  const [, reason] = /Ben checks again and gets `(.*)`/.exec(section('With curl')) ?? []
  const check = blocks.find(({ body }) => body.includes('/check'))?.body
  await apiAt(shop.url, 'tok-ada')('POST', `/notables/${id}/archive`)
  expect(await run(`${variables}\n${check}`, 'ben')).toContain(reason)
})

test('the command prints what the tour shows', async () => {
  const [block] = blocksIn(section('On the command line'))
  const steps = (block?.body ?? '').split(/^(?=(?:ada|ben)\$ )/m)
  let written = ''
  for (const step of steps) {
    const [, person, line = ''] = /^(ada|ben)\$ (.*)/.exec(step) ?? []
    const said = await run(line, person as Person)
    written += `${person}$ ${line}\n${said}${said && '\n'}`
  }
  expect(steps).toHaveLength(5)
  expect(normalized(written).trimEnd()).toEqual(normalized((block?.body ?? '').replaceAll('\n\n', '\n')))
})
