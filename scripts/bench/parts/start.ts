/** Time from the start of the process to `/readyz`, and memory usage. */
import { setTimeout as wait } from 'node:timers/promises'
import { memoryOf } from '../child.ts'
import { interleaved } from '../measure.ts'
import type { Rig } from '../rig.ts'
import { TOKEN } from '../rig.ts'
import { idOf } from '../seed.ts'
import { create, heartbeat, list, sparseCheck } from '../work.ts'

const CLIENTS = 32
/** How long an instance idles before its memory is measured. */
const IDLE_MS = 3000

export async function startPart(rig: Rig): Promise<void> {
  const { options, results } = rig
  const { starts, round_ms } = options.sizes
  const migrated = await rig.database()
  const ready = async (DATABASE_URL: string) => {
    const service = await rig.startService({ DATABASE_URL })
    await wait(options.quick ? 0 : IDLE_MS)
    const { current } = memoryOf(service.pid)
    await service.stop()
    return { ready_ms: service.ready_ms, current }
  }
  const all = await interleaved(starts, {
    again: () => ready(migrated),
    first: async () => ready(await rig.emptyDatabase()),
  })
  const figures = (name: 'again' | 'first', what: 'ready_ms' | 'current') =>
    all[name].map((figure) => figure[what])
  results.add('start.again', 'start to ready on PostgreSQL', 'ms', figures('again', 'ready_ms'))
  results.add('start.first', 'start to ready on an empty database', 'ms', figures('first', 'ready_ms'))
  results.add('memory.idle', 'resident memory when idle', 'MB', figures('again', 'current'))

  const service = await rig.startService({ DATABASE_URL: migrated })
  const ids = Array.from({ length: 100 }, (_, at) => idOf(at + 1))
  const requests = ids.flatMap((id) => [heartbeat('busy', id), sparseCheck('busy'), list('busy')])
  const loader = await rig.loader()
  const load = { urls: [service.url], token: TOKEN, clients: CLIENTS, ms: round_ms * 5 }
  await loader.run({ ...load, requests }, { status: 200 })
  await loader.run({ ...load, requests: [create('created')], count: 2000 }, { status: 201 })
  const { current, peak } = memoryOf(service.pid)
  results.add('memory.load', `resident memory after load by ${CLIENTS} clients`, 'MB', [current])
  results.add('memory.peak', 'peak resident memory', 'MB', [peak])
  await service.stop()
}
