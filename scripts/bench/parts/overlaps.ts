/** All collisions of a repository, next to one check that overlaps with every activity in it. */
import type { Overlaps } from '../../../src/vocabulary/contract/overlap-list.ts'
import type { Template } from '../load.ts'
import { interleaved, shown } from '../measure.ts'
import { type Rig, TOKEN } from '../rig.ts'
import { allOverlaps, denseCheck } from '../work.ts'

export async function overlapsPart(rig: Rig): Promise<void> {
  const { url, pid } = await rig.service()
  const { size, repositories } = rig.names.crowds
  const loader = await rig.loader()
  const sql = await rig.sql()
  const ids = repositories.map(({ id }) => id)
  const run = (requests: Template[]) =>
    loader.run(
      { urls: [url], token: TOKEN, clients: 1, ms: 60_000, requests, count: repositories.length },
      { status: 200, pid },
    )
  const all = repositories.map(({ name }) => allOverlaps(name))
  const checks = repositories.map(({ name }) => denseCheck(name))
  await expectCollisions(url, all[0] as Template, 2 * size)
  const figures = await interleaved(rig.options.sizes.rounds, {
    all: async () => {
      // A new version of one row in each repository keeps earlier comparisons from being reused.
      await sql`update activities set heartbeat_at = now()
        where repo_id = any(${ids}::bigint[]) and branch = 'work-0'`
      return run(all)
    },
    again: () => run([all[0] as Template]),
    check: () => run(checks),
  })
  const labels = {
    all: `all ${shown(2 * size)} collisions of ${shown(size)} live`,
    again: 'the same without changes in between',
    check: `check that overlaps with all ${shown(size)} live`,
  }
  for (const name of ['all', 'again', 'check'] as const) {
    const note = (what: 'p50' | 'p99' | 'cpu_us', unit: 'ms' | 'µs', label: string) =>
      rig.results.add(
        `overlaps.${name}.${what.replace('_us', '')}`,
        `${labels[name]}, ${label}`,
        unit,
        figures[name].map((each) => each[what]),
      )
    note('p50', 'ms', 'p50')
    note('p99', 'ms', 'p99')
    note('cpu_us', 'µs', 'processor time per request')
  }
}

async function expectCollisions(url: string, { path }: Template, count: number): Promise<void> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const { total, checked_against } = (await response.json()) as Overlaps
  if (total !== count || !checked_against.complete) throw new Error(`${total} collisions instead of ${count}`)
}
