/** The web page in Chromium: a repository with many live activities, under constant heartbeats and changes. */
import type { Page } from 'playwright-core'
import { BROWSER, startBrowser } from '../../../test/support/browser.ts'
import { TOKEN } from '../load.ts'
import { atPace, until } from '../measure.ts'
import type { Rig } from '../rig.ts'

const REPOSITORY = 'acme/plain'
const HEARTBEAT_EVERY_MS = 50
const CHANGE_EVERY_MS = 2000

/** What the page itself records from its first moment on. */
interface Recorded {
  first_ms: number
  longest_ms: number
  /** When each new title came into sight, by the clock of the machine. */
  seen: Record<string, number>
}

/**
 * Runs in the page before its own scripts. Playwright's own ways to wait search the page in its main thread, which takes longer
 * than the tasks of the page. A task shorter than 50 ms is no long task.
 */
const recorderOf = (round: number) => `
  sessionStorage.setItem('deconflict-token', ${JSON.stringify(TOKEN)})
  window.recorded = { first_ms: 0, longest_ms: 0, seen: {} }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) recorded.longest_ms = Math.max(recorded.longest_ms, duration)
  }).observe({ type: 'longtask', buffered: true })
  new MutationObserver(() => {
    const text = document.body?.textContent ?? ''
    if (recorded.first_ms === 0 && /Work \\d/.test(text)) recorded.first_ms = performance.now()
    for (const [title] of text.matchAll(/Change ${round}-\\d+!/g)) recorded.seen[title] ??= Date.now()
  }).observe(document, { subtree: true, childList: true, characterData: true })
`

export async function pagePart(rig: Rig): Promise<void> {
  if (BROWSER === undefined) return rig.say('  Chromium is not installed')
  const { page: sizes, rounds } = rig.sizes
  const service = await rig.startService(await rig.emptyDatabase())
  const api = apiOf(`${service.url}/api/v1/repos/${REPOSITORY}/activity`)
  const ids: string[] = []
  for (let n = 0; n < sizes.live; n += 1) ids.push(await api.create(n))
  const browser = await startBrowser()
  try {
    const runs: Figures[] = []
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
      const figures = await measured(page, { url: service.url, api, ids, round, changes: sizes.changes })
      if (round > 0) runs.push(figures)
      await page.close()
    }
    const add = (name: keyof Figures, label: string, unit: string) =>
      rig.results.add(
        `page.${name}`,
        `page of ${sizes.live} live activities, ${label}`,
        unit,
        runs.map((run) => run[name]),
      )
    add('first', 'first content', 'ms')
    add('seen', 'from a change to its sight, slowest', 'ms')
    add('busy', 'longest task of the main thread (0: below 50)', 'ms')
    add('script', 'script', 'kB')
  } finally {
    await browser.close()
    await service.kill('SIGTERM')
  }
}

type Figures = Record<'first' | 'seen' | 'busy' | 'script', number>

interface Round {
  url: string
  api: ReturnType<typeof apiOf>
  ids: string[]
  round: number
  changes: number
}

async function measured(page: Page, { url, api, ids, round, changes }: Round): Promise<Figures> {
  await page.addInitScript(recorderOf(round))
  let script_bytes = 0
  page.on('response', async (response) => {
    if (response.url().endsWith('.js')) script_bytes += (await response.body()).length
  })
  const recorded = async () => (await page.evaluate('recorded')) as Recorded
  await page.goto(`${url}/#/${REPOSITORY}`)
  await until('the page', async () => (await recorded()).first_ms > 0)
  const committed: Record<string, number> = {}
  const ms = changes * CHANGE_EVERY_MS
  await Promise.all([
    atPace({ every_ms: HEARTBEAT_EVERY_MS, ms }, (n) => api.heartbeat(ids[n % ids.length] as string)),
    // As many of the newest activities are in sight.
    atPace({ every_ms: CHANGE_EVERY_MS, ms }, async (n) => {
      const title = `Change ${round}-${n}!`
      await api.rename(ids.at(-1 - n) as string, title)
      committed[title] = Date.now()
    }),
  ])
  await until('the changes', async () => Object.keys((await recorded()).seen).length >= changes)
  const { first_ms, longest_ms, seen } = await recorded()
  const delays = Object.entries(committed).map(([title, at]) => (seen[title] as number) - at)
  return { first: first_ms, seen: Math.max(...delays), busy: longest_ms, script: script_bytes / 1000 }
}

function apiOf(base: string) {
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    /** Thirty people in forty folders; every fourth activity collides with another one. */
    create: async (n: number): Promise<string> => {
      const file = n % 4 === 0 ? 'shared.ts' : `file-${n}.ts`
      const { activity } = (await send('POST', '', {
        title: `Work ${n}`,
        summary: 'Some work.',
        actor: `person-${n % 30}`,
        branch: `work-${n}`,
        scope: { areas: [`area-${n % 8}`], paths: [`src/part-${n % 40}/${file}`, `docs/page-${n}.md`] },
      })) as { activity: { id: string } }
      return activity.id
    },
    heartbeat: (id: string) => send('POST', `/${id}/heartbeat`),
    rename: (id: string, title: string) => send('PATCH', `/${id}`, { title }),
  }
}
