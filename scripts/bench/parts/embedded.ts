/** The embedded database next to PostgreSQL, with the data of a single team. */
import { join } from 'node:path'
import { memoryOf } from '../child.ts'
import { type Rig, TOKEN } from '../rig.ts'
import { sideBySide, type Variant } from '../side-by-side.ts'
import { create, list, sparseCheck } from '../work.ts'

const CLIENTS = 8
/** Activities in both before anything is measured. */
const LIVE = 300

export async function embeddedPart(rig: Rig): Promise<void> {
  const embedded = await rig.startService({ DATA_DIR: join(rig.scratch, 'data') })
  rig.results.add('embedded.first', 'embedded database, first start to ready', 'ms', [embedded.ready_ms])
  const postgres = await rig.startService({ DATABASE_URL: await rig.emptyDatabase() })
  const loader = await rig.loader()
  const count = rig.options.quick ? 20 : LIVE
  for (const { url } of [embedded, postgres]) {
    const load = { urls: [url], token: TOKEN, clients: CLIENTS, ms: 60_000, count }
    await loader.run({ ...load, requests: [create('plain')] }, { status: 201 })
  }
  const routes = {
    check: { requests: [sparseCheck('plain')], status: 200 },
    list: { requests: [list('plain')], status: 200 },
    create: { requests: [create('plain')], status: 201 },
  }
  for (const [name, route] of Object.entries(routes)) {
    const of = { kind: 'http' as const, ...route }
    const variants: Record<string, Variant> = {
      embedded: { ...of, label: `${name}, embedded database`, urls: [embedded.url] },
      postgres: { ...of, label: `${name}, PostgreSQL`, urls: [postgres.url] },
    }
    await sideBySide(rig, `embedded.${name}`, { variants, clients: CLIENTS, notes: 'rate' })
  }
  rig.results.add('embedded.memory', 'embedded database, resident memory', 'MB', [
    memoryOf(embedded.pid).current,
  ])
  await Promise.all([embedded.stop(), postgres.stop()])
}
