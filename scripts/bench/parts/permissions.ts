/** A cached permission next to one that is looked up at GitHub each time. */
import type { Rig } from '../rig.ts'
import { sideBySide, type Variant } from '../side-by-side.ts'

export async function permissionsPart(rig: Rig): Promise<void> {
  const caching = await rig.service()
  const uncached = await rig.startService({ DATABASE_URL: await rig.database(), PERMISSION_TTL_MS: '0' })
  const github = await rig.github()
  const requests = [{ method: 'GET', path: '/api/v1/repos/acme/busy/settings' }]
  const of = { kind: 'http' as const, requests, status: 200 }
  const variants: Record<string, Variant> = {
    hit: { ...of, label: 'settings, cached permission', urls: [caching.url], pid: caching.pid },
    miss: {
      ...of,
      label: 'settings, permission looked up each time',
      urls: [uncached.url],
      pid: uncached.pid,
    },
    github: {
      ...of,
      label: 'the GitHub stub itself',
      urls: [github.url],
      requests: [{ method: 'GET', path: '/repos/acme/busy' }],
    },
  }
  await sideBySide(rig, 'permissions', { variants, clients: 1, notes: 'latency' })
  await uncached.stop()
}
