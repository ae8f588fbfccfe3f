/** Checks and creates by the number of live activities: latency should hardly grow. */
import type { OverlapResult } from '../../../src/vocabulary/contract/overlap.ts'
import type { Template } from '../load.ts'
import { shown } from '../measure.ts'
import { type Rig, TOKEN } from '../rig.ts'
import { sideBySide, type Variant } from '../side-by-side.ts'
import { create, denseCheck, mixCheck, sparseCheck } from '../work.ts'

/** Maximum creates per round: more would change the size that is measured. */
const CREATES = 200
/** Different checks of the mix. */
const MIX_CHECKS = 200

export async function checkPart(rig: Rig): Promise<void> {
  const { url, pid } = await rig.service()
  const { live, fleet } = rig.names
  const http = { kind: 'http' as const, urls: [url], status: 200, pid }
  const sparse = [...live].map(([size, name]): [string, Variant] => [
    String(size),
    { ...http, label: `check, sparse, ${shown(size)} live`, requests: [sparseCheck(name)] },
  ])
  const ofFleet: Variant = {
    ...http,
    label: `check, sparse, ${shown(rig.options.sizes.fleet)} repositories of 10`,
    requests: fleet.map((name) => sparseCheck(name)),
  }
  const dense = [...live].map(([size, name]): [string, Variant] => [
    String(size),
    { ...http, label: `check, 13 % overlap, ${shown(size)} live`, requests: [denseCheck(name)] },
  ])
  await warmUp(rig, ofFleet)
  const variants = Object.fromEntries([...sparse, ['fleet', ofFleet]])
  await sideBySide(rig, 'check.sparse', { variants, clients: 1, notes: 'latency' })
  await sideBySide(rig, 'check.dense', { variants: Object.fromEntries(dense), clients: 1, notes: 'latency' })
  await mixPart(rig, http)
  const busy: Variant = {
    ...http,
    label: `check, sparse, ${shown(rig.names.busy.size)} live, 8 clients`,
    requests: [sparseCheck('busy')],
  }
  await sideBySide(rig, 'check.busy', { variants: { service: busy }, clients: 8, notes: 'rate' })
}

/** Checks that overlap with a few activities, and the same checks where there are none. */
async function mixPart(rig: Rig, http: Pick<Variant & { kind: 'http' }, 'kind' | 'urls' | 'status' | 'pid'>) {
  const { name, size } = rig.names.mix
  const numbers = await numbersWithOverlap(http.urls[0] as string, rig.names.mix)
  const variantOf = (label: string, root: string): Variant => ({
    ...http,
    label: `check, mixed scopes, ${label}, ${shown(size)} live`,
    requests: numbers.map((n) => mixCheck(name, n, root)),
  })
  const variants = {
    some: variantOf('overlaps', 'packages'),
    none: variantOf('no overlap', 'elsewhere'),
  }
  await sideBySide(rig, 'check.mix', { variants, clients: 1, notes: 'latency' })
}

/** The checks of the mix that overlap with something. */
async function numbersWithOverlap(url: string, { name, size }: Rig['names']['mix']): Promise<number[]> {
  const numbers: number[] = []
  for (let n = size; numbers.length < MIX_CHECKS && n < size + 100 * MIX_CHECKS; n++) {
    if (await overlaps(url, mixCheck(name, n, 'packages'))) numbers.push(n)
  }
  return numbers
}

async function overlaps(url: string, { method, path, body }: Template): Promise<boolean> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, { method, headers, body: body ?? null })
  const { overlap_detected } = (await response.json()) as OverlapResult
  return overlap_detected
}

export async function createSizesPart(rig: Rig): Promise<void> {
  const { url, pid } = await rig.service()
  const { growing, fleet } = rig.names
  const http = { kind: 'http' as const, urls: [url], status: 201, pid, count: CREATES }
  const sizes = [...growing].map(([size, names]): [string, Variant] => [
    String(size),
    { ...http, label: `create, ${shown(size)} live`, requests: names.map((name) => create(name)) },
  ])
  const ofFleet: Variant = {
    ...http,
    label: `create, ${shown(rig.options.sizes.fleet)} repositories of 10`,
    requests: fleet.map((name) => create(name)),
  }
  const variants = Object.fromEntries([...sizes, ['fleet', ofFleet]])
  await sideBySide(rig, 'create.size', { variants, clients: 1, notes: 'latency' })
}

/** Caches the permission for every repository before anything is measured. */
async function warmUp(rig: Rig, variant: Variant & { kind: 'http' }): Promise<void> {
  const loader = await rig.loader()
  const { urls, requests, status } = variant
  await loader.run(
    { urls, requests, token: 'bench-token', clients: 4, ms: 60_000, count: requests.length },
    { status },
  )
}
