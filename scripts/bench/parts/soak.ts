/** Ten minutes of mixed load: the last minute should be as fast as the first. */
import { memoryOf } from '../child.ts'
import { type Rig, TOKEN } from '../rig.ts'
import { idOf } from '../seed.ts'
import { heartbeat, list, retrieve, sparseCheck } from '../work.ts'

const CLIENTS = 16

export async function soakPart(rig: Rig): Promise<void> {
  const { soak_minutes, soak_minute_ms } = rig.options.sizes
  const { url, pid } = await rig.startService({ DATABASE_URL: await rig.database() })
  const loader = await rig.loader()
  const ids = Array.from({ length: 500 }, (_, n) =>
    idOf(((n * Math.max(1, Math.floor(rig.names.busy.size / 500))) % rig.names.busy.size) + 1),
  )
  const requests = ids.flatMap((id) => [
    heartbeat('busy', id),
    sparseCheck('busy'),
    retrieve('busy', id),
    list('busy'),
    heartbeat('busy', id),
  ])
  const load = { urls: [url], token: TOKEN, clients: CLIENTS, requests }
  // Warm-up: compiling and connecting must not count in the first minute.
  await loader.run({ ...load, ms: soak_minute_ms / 6 }, { status: 200 })
  const rates: number[] = []
  const memory: number[] = []
  for (let minute = 1; minute <= soak_minutes; minute++) {
    const { per_second } = await loader.run({ ...load, ms: soak_minute_ms }, { status: 200 })
    rates.push(per_second)
    memory.push(memoryOf(pid).current)
    rig.say(`  minute ${minute}: ${Math.round(per_second)} requests/s`)
  }
  rig.results.add('soak.rate', 'soak, each minute', 'requests/s', rates)
  rig.results.add('soak.memory', 'soak, resident memory', 'MB', memory)
}
