/** Many processes in one clone at once, killed at each write in turn: nothing is lost, taken twice or broken, and nobody waits. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { useTree } from '../support/shop.ts'

const PRELOAD = fileURLToPath(new URL('../support/hostile-process.cjs', import.meta.url))

const tree = useTree({ NODE_OPTIONS: `--require ${PRELOAD}` })

const run = (args: string[], killed_at = 0) => tree.runProcess(args, { env: { KILL_AT: String(killed_at) } })
const json = async (args: string[]) => JSON.parse((await run([...args, '--json'])).stdout)
const start = (branch: string, killed_at = 0) =>
  run(['start', branch, '--branch', branch, '--issue', '7', '--paths', 'src/**', '--json'], killed_at)

/** Every record can be read, and those that commands have answered for are there. */
async function expectWhole(ids: string[]) {
  const { sources } = await json(['check', '--paths', 'a'])
  expect(sources.filter((each: string) => each.endsWith('cannot be read'))).toEqual([])
  const { items } = await json(['list', '--limit', '100'])
  expect(items.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(ids))
  return items
}

test('a process that is killed at any of its writes breaks nothing, and the next one goes on', async () => {
  const answered: string[] = []
  const numbers: string[] = []
  let [at, was_killed] = [0, true]
  while (was_killed) {
    at += 1
    const killed = await start(`killed-${at}`, at)
    was_killed = killed.code === null
    const next = await start(`next-${at}`)
    expect(next).toMatchObject({ code: expect.toBeOneOf([0, 2]), stderr: '' })
    const { id } = JSON.parse(next.stdout).activity
    answered.push(id)
    await run(['number', 'db', '--activity', id], at)
    numbers.push((await json(['number', 'db', '--activity', id])).number)
  }
  expect(at).toBeGreaterThan(5)
  expect(new Set(numbers).size).toBe(numbers.length)
  const items = await expectWhole(answered)
  // The work of a process that was killed after its record was there holds the issue: it is live until it expires.
  const oldest = items.at(-1)
  expect((await json(['show', oldest.id])).issue).toMatchObject({ claimed: true })
  const left = await readdir(join(tree.path, '.git/deconflict/work'))
  expect(left.filter((name) => !name.endsWith('.json'))).toEqual([])
})

test('of 20 processes at once, each has a record and a number of its own, and one holds the issue', async () => {
  const branches = Array.from({ length: 20 }, (_, at) => `b${at}`)
  const started = await Promise.all(branches.map((branch, at) => start(branch, at < 4 ? 3 + at : 0)))
  const whole = started.filter(({ code }) => code !== null)
  for (const each of whole) expect(each).toMatchObject({ code: expect.toBeOneOf([0, 2]), stderr: '' })
  expect(whole.length).toBeGreaterThanOrEqual(16)
  const answers = whole.map(({ stdout }) => JSON.parse(stdout))
  const ids: string[] = answers.map(({ activity }) => activity.id)
  expect(answers.filter(({ issue }) => issue.claimed).length).toBeLessThanOrEqual(1)
  const reserved = await Promise.all(ids.map((id) => json(['number', 'db', '--activity', id])))
  expect(new Set(reserved.map(({ number }) => number)).size).toBe(ids.length)
  const items = await expectWhole(ids)
  const shown = await Promise.all(items.map(({ id }: { id: string }) => json(['show', id])))
  expect(shown.filter(({ issue }) => issue?.claimed)).toHaveLength(1)
})
