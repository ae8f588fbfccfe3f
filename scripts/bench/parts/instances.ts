/** One instance next to two on the same database. */
import type { Rig } from '../rig.ts'
import { idOf } from '../seed.ts'
import { sideBySide, type Variant } from '../side-by-side.ts'
import { heartbeat, list, retrieve, sparseCheck } from '../work.ts'

export async function instancesPart(rig: Rig): Promise<void> {
  const one = await rig.service()
  const two = await rig.startService({ DATABASE_URL: await rig.database() })
  const ids = Array.from({ length: 200 }, (_, n) => idOf(n * Math.floor(rig.names.busy.size / 200) + 1))
  const routes = {
    mixed: ids.flatMap((id) => [
      heartbeat('busy', id),
      sparseCheck('busy'),
      retrieve('busy', id),
      list('busy'),
    ]),
    heartbeat: ids.map((id) => heartbeat('busy', id)),
  }
  for (const [name, requests] of Object.entries(routes)) {
    for (const clients of rig.options.sizes.clients) {
      const of = { kind: 'http' as const, requests, status: 200 }
      const variants: Record<string, Variant> = {
        one: { ...of, label: `${name}, ${clients} clients, one instance`, urls: [one.url] },
        two: { ...of, label: `${name}, ${clients} clients, two instances`, urls: [one.url, two.url] },
      }
      await sideBySide(rig, `instances.${name}.${clients}`, { variants, clients, notes: 'rate' })
    }
  }
  await two.stop()
}
