/** The benchmark runs on small sizes and writes the files that its readers expect. No time is asserted. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/support/temporary-directory.ts'
import type { Report } from './report.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RUN_MS = 110_000

async function bench(...args: string[]): Promise<{ said: string; status: number }> {
  const run = promisify(execFile)
  try {
    const flags = ['--import', 'tsx', 'scripts/bench/main.ts', ...args]
    const { stdout } = await run(process.execPath, flags, { cwd: ROOT, timeout: RUN_MS })
    return { said: stdout, status: 0 }
  } catch (error) {
    const { code, stderr, stdout } = error as { code: number; stderr: string; stdout: string }
    return { said: `${stdout}${stderr}`, status: code }
  }
}

test('a run of some parts measures them side by side, and prints them with the goals', async () => {
  const scratch = await temporaryDirectory('bench-test')
  const json = join(scratch.path, 'results.json')
  const parts = ['--only', 'glob,http,hooks,permissions', '--live', '10,20']
  const { said, status } = await bench('--built', '--quick', ...parts, '--json', json)
  expect(status, said).toBe(0)

  const report: Report = JSON.parse(await readFile(json, 'utf8'))
  expect(report.circumstances).toMatchObject({
    quick: true,
    parts: ['glob', 'http', 'hooks', 'permissions'],
    commit: expect.stringMatching(/^\w+(-dirty)?$|^unknown$/),
    postgres: expect.stringContaining('PostgreSQL'),
  })
  expect(report.skipped).toEqual([])
  const rounds = Object.fromEntries(report.measures.map((measure) => [measure.id, measure.rounds]))
  for (const id of [
    'glob.own',
    'glob.refa',
    'http.layer.rate',
    'permissions.hit.p50',
    'permissions.miss.p50',
  ]) {
    expect(rounds[id], id).toHaveLength(3)
    expect(
      rounds[id]?.every((value) => value > 0),
      id,
    ).toBe(true)
  }
  // Automata and the service's own decision agree on every pair of the real-world globs.
  expect(rounds['glob.differs']).toEqual([0])
  // The command of the package runs.
  expect(rounds['hooks.version']).toHaveLength(2)

  const measured = report.goals.filter((goal) => goal.measured !== null)
  expect(measured.map((goal) => goal.what)).toEqual([
    'HTTP layer relative to bare node:http',
    'hook with nothing to ask relative to node -e 0',
    'hook that asks a stub relative to node -e 0',
    'deconflict --version relative to node -e 0',
    'hook of a service that never answers, slowest',
    'glob intersection, mean per pair',
    'glob intersection relative to refa',
    'glob intersection, doubled lengths, worst kind',
  ])
  for (const { what, met } of report.goals) {
    expect(said).toContain(`| ${what} `)
    expect(met === null).toBe(!measured.some((goal) => goal.what === what))
  }
  await scratch.remove()
})

test('the load of an organisation brings every comment, and GitHub refuses no call', async () => {
  const scratch = await temporaryDirectory('bench-test')
  const json = join(scratch.path, 'results.json')
  const { said, status } = await bench('--built', '--quick', '--only', 'organisation', '--json', json)
  expect(status, said).toBe(0)
  const report: Report = JSON.parse(await readFile(json, 'utf8'))
  const rounds = Object.fromEntries(report.measures.map((measure) => [measure.id, measure.rounds]))
  for (const id of ['organisation', 'organisation.import']) {
    expect(rounds[`${id}.missing`], said).toEqual([0])
    expect(rounds[`${id}.refused`], said).toEqual([0])
    expect(rounds[`${id}.acknowledged`], said).toHaveLength(3)
  }
  // 20 repositories of 8 open and 2 merged pull requests, 2 that are imported, those that were opened, and the agents.
  expect(rounds['organisation.table.pull_requests.rows']?.[0]).toBeGreaterThanOrEqual(22 * 8 + 20 * 2)
  await scratch.remove()
})

test('an unknown part is rejected, and the known ones are listed', async () => {
  const { said, status } = await bench('--only', 'globs')
  expect(status).toBe(1)
  expect(said).toContain('unknown part globs')
  expect(said).toContain('glob, lines, http')
})
