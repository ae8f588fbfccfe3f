/** The benchmark runs on small sizes and writes the file that its readers expect. No time is asserted. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/support/temporary-directory.ts'
import type { Report } from './main.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

async function bench(parts: string, json: string) {
  const args = ['--built', '--quick', '--live', '10,20', '--only', parts, '--json', json]
  const program = ['--import', 'tsx', 'scripts/bench/main.ts', ...args]
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: ROOT })
  const { quick, measures }: Report = JSON.parse(await readFile(json, 'utf8'))
  expect(quick).toBe(true)
  return { stdout, rounds: new Map(measures.map(({ id, rounds }) => [id, rounds])) }
}

test.each([
  ['hooks,local', ['hooks.version', 'local.warm'], 2],
  ['check,create', ['check.dense.20.p50', 'create.size.10.p99', 'create.8.service.rate'], 2],
  ['pulls,import', ['pulls.comment', 'import.comment.p95'], 1],
])('a run measures %s', async (parts, ids, length) => {
  const scratch = await temporaryDirectory('bench-test')
  const { stdout, rounds } = await bench(parts, join(scratch.path, 'results.json'))
  for (const id of ids)
    expect(rounds.get(id), stdout).toEqual(Array.from({ length }, () => expect.any(Number)))
  await scratch.remove()
})

test('the load of an organisation brings every comment, and GitHub refuses no call', async () => {
  const scratch = await temporaryDirectory('bench-test')
  const { stdout, rounds } = await bench('organisation', join(scratch.path, 'results.json'))
  for (const id of ['organisation', 'organisation.import']) {
    expect(rounds.get(`${id}.missing`), stdout).toEqual([0])
    expect(rounds.get(`${id}.refused`), stdout).toEqual([0])
    expect(rounds.get(`${id}.acknowledged`), stdout).toHaveLength(3)
  }
  await scratch.remove()
})
