/** The overview of a caller with many repositories: the first request, and those after it. */
import postgres from 'postgres'
import { type Rig, TOKEN } from '../rig.ts'
import { copy, seed } from '../seed.ts'
import { workOf } from '../work.ts'

const OWNER = 'wide'
const FIRST_ID = 800_001
/** Live activities of each repository. */
const EACH = 10
/** GitHub's list shows at most so many; the token is let into the others by requests about them. */
const LISTED = 500
const AT_ONCE = 16
/** How long counts hold. */
const FRESH_MS = 30_000

export async function overviewPart(rig: Rig): Promise<void> {
  const { repositories } = rig.options.sizes.overview
  const { github } = await rig.github()
  const DATABASE_URL = await rig.emptyDatabase()
  const service = await rig.startService({ DATABASE_URL })
  const names = Array.from({ length: repositories }, (_, index) => `${OWNER}/r${index}`)
  for (const [index, full_name] of names.entries()) github.repository({ id: FIRST_ID + index, full_name })
  await fill(DATABASE_URL, repositories)
  const of = (token: string, path: string) =>
    fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  /** Lets the token into all repositories. */
  const letIn = async (token: string, id: number) => {
    const permissions = Object.fromEntries(names.map((name) => [name, 'write' as const]))
    github.token(token, { login: token, id, permissions })
    const waiting = names.slice(LISTED)
    const askAll = async () => {
      for (let name = waiting.pop(); name; name = waiting.pop())
        await (await of(token, `/repos/${name}/settings`)).arrayBuffer()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, askAll))
    // GitHub's list is cached from now on.
    await (await of(token, '/repos')).arrayBuffer()
  }
  const timed = async (token: string) => {
    const started = performance.now()
    const response = await of(token, '/repos')
    const { items } = (await response.json()) as { items: unknown[] }
    if (items.length === 0) throw new Error(`the overview is empty (${response.status})`)
    return performance.now() - started
  }
  await letIn(TOKEN, 1)
  await letIn('other', 2)
  const cold: number[] = []
  const warm: number[] = []
  for (let round = 0; round < rig.options.sizes.overview.rounds; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, FRESH_MS))
    cold.push(await timed(TOKEN))
    warm.push(await timed('other'))
  }
  const label = `overview of ${repositories} repositories of ${EACH} live activities`
  rig.results.add('overview.counted', `${label}, counted`, 'ms', cold)
  rig.results.add('overview.cached', `${label}, counted for another caller before`, 'ms', warm)
  await service.stop()
}

async function fill(url: string, count: number): Promise<void> {
  const original = { id: FIRST_ID - 1, owner: OWNER, name: 'original' }
  await seed(url, original, { count: EACH, work: workOf })
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await copy(sql, original.id, { first: FIRST_ID, each: EACH, total: EACH * count })
  await sql`
    insert into repositories (repo_id, owner, name, created_at, swept_at)
    select repo_id, ${OWNER}, 'r' || (repo_id - ${FIRST_ID}), now(), now()
    from (select distinct repo_id from activities) as known
    on conflict do nothing`
  await sql`vacuum analyze`
  await sql.end()
}
