/** A permission that is remembered against one that GitHub is asked for each time. */
import type { Rig } from '../rig.ts'
import { sideBySide, type Variant } from '../side-by-side.ts'

export async function permissionsPart(rig: Rig): Promise<void> {
  const remembering = await rig.service()
  const asking = await rig.startService({ DATABASE_URL: await rig.database(), PERMISSION_TTL_MS: '0' })
  const github = await rig.github()
  const requests = [{ method: 'GET', path: '/api/v1/repos/acme/busy/settings' }]
  const of = { kind: 'http' as const, requests, status: 200 }
  const variants: Record<string, Variant> = {
    hit: { ...of, label: 'settings, permission remembered', urls: [remembering.url], pid: remembering.pid },
    miss: { ...of, label: 'settings, GitHub asked each time', urls: [asking.url], pid: asking.pid },
    github: {
      ...of,
      label: 'the stand-in GitHub itself',
      urls: [github.url],
      requests: [{ method: 'GET', path: '/repos/acme/busy' }],
    },
  }
  await sideBySide(rig, 'permissions', { variants, clients: 1, notes: 'latency' })
  await asking.stop()
}
