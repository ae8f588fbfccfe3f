/** Expensive checks over HTTP: with hostile globs, and with the maximum number of plain paths. */
import { HOSTILE } from '../globs.ts'
import { interleaved } from '../measure.ts'
import { type Rig, TOKEN } from '../rig.ts'

/** The contract's limits for a scope. */
const GLOBS = 200
const PLAIN = 3000
const LENGTH = 500
/** Live activities with hostile scopes. */
const ACTIVITIES = 40

export async function hostilePart(rig: Rig): Promise<void> {
  const { url, pid } = await rig.service()
  const loader = await rig.loader()
  const post = (repository: string, rest: string, body: object) => ({
    method: 'POST',
    path: `/api/v1/repos/acme/${repository}/activity${rest}`,
    body: JSON.stringify(body),
  })
  const activity = (n: number, paths: string[]) => ({
    title: `Hostile ${n}`,
    summary: 'An expensive scope.',
    actor: 'mallory',
    scope: { areas: [], paths },
  })
  const load = { urls: [url], token: TOKEN, clients: 1, ms: 60_000 }
  const once = (request: ReturnType<typeof post>, status = 200) =>
    loader.run({ ...load, requests: [request], count: 1 }, { status, pid })

  const kinds = Object.values(HOSTILE)
  for (let n = 0; n < (rig.options.quick ? 5 : ACTIVITIES); n++) {
    const kind = kinds[n % kinds.length] as (length: number) => [string, string]
    await once(post('hostile', '', activity(n, variants(kind(LENGTH)[0]))), 201)
  }
  const checks = Object.entries(HOSTILE).map(([name, kind]) => {
    const check = post('hostile', '/check', { scope: { paths: variants(kind(LENGTH)[1]) } })
    return [name, async () => (await once(check)).max] as const
  })
  const hostile = await interleaved(rig.options.sizes.rounds, Object.fromEntries(checks))
  for (const [name, figures] of Object.entries(hostile))
    rig.results.add(
      `hostile.${name.replaceAll(/\W+/g, '-')}`,
      `check of ${GLOBS} globs, ${name}`,
      'ms',
      figures,
    )

  const plain = (kind: string) =>
    Array.from({ length: PLAIN }, (_, n) => `src/module-${n % 50}/part-${n % 7}/${kind}-${n}.ts`)
  await once(post('plain', '', activity(0, plain('file'))), 201)
  const figures = await interleaved(rig.options.sizes.rounds, {
    same: async () => (await once(post('plain', '/check', { scope: { paths: plain('file') } }))).p50,
    other: async () => (await once(post('plain', '/check', { scope: { paths: plain('name') } }))).p50,
  })
  rig.results.add('plain.same', '3,000 × 3,000 plain paths, all equal', 'ms', figures.same)
  rig.results.add('plain.other', '3,000 × 3,000 plain paths, none equal', 'ms', figures.other)
}

/** The maximum number of globs of one kind, all different. */
function variants(glob: string): string[] {
  return Array.from({ length: GLOBS }, (_, n) => `${n}${glob}`.slice(0, LENGTH + 4)).map((each, n) =>
    n % 2 === 0 ? `*${each}` : `**/*${each}`,
  )
}
