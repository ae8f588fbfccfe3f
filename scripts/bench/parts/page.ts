/** The web page in Chromium: a repository with many live activities, under constant heartbeats and changes. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { BROWSER, startBrowser } from '../../../test/support/browser.ts'
import type { Rig } from '../rig.ts'
import { TOKEN } from '../rig.ts'

const REPOSITORY = 'acme/plain'
const HEARTBEATS_PER_S = 20
const CHANGES_PER_S = 2
/** Changes are made to the newest activities, which are in sight. */
const NEWEST = 20
/** For the service to run and the first code to be compiled. */
const WARM_UPS = 1
const WAIT_MAX_MS = 10_000
const POLL_MS = 100
/** After loading, for what the page requests last, such as the merge order. */
const SETTLE_MS = 1500

/** What the page itself records from its first moment on. */
interface Recorded {
  first_ms: number
  longest_ms: number
  /** The page is live, and its collisions are known. */
  is_loaded: boolean
  /** When each title came into sight, by the clock of the machine. */
  seen: Record<string, number>
}

/** Runs in the page before its own scripts. A task of the main thread shorter than 50 ms is no long task. */
const RECORDER = `
  sessionStorage.setItem('deconflict-token', ${JSON.stringify(TOKEN)})
  window.recorded = { first_ms: 0, longest_ms: 0, is_loaded: false, seen: {} }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) recorded.longest_ms = Math.max(recorded.longest_ms, duration)
  }).observe({ type: 'longtask', buffered: true })
  new MutationObserver(() => {
    const titles = document.querySelectorAll('.bar .title')
    if (titles.length > 0 && recorded.first_ms === 0) recorded.first_ms = performance.now()
    recorded.is_loaded ||=
      /collision/.test(document.querySelector('.counts')?.textContent) && document.querySelector('.live') !== null
    for (const { textContent } of titles) if (/^Change \\d/.test(textContent)) recorded.seen[textContent] ??= Date.now()
  }).observe(document, { subtree: true, childList: true, characterData: true })
`

export async function pagePart(rig: Rig): Promise<void> {
  const { options, results } = rig
  if (BROWSER === undefined) return results.skip('page', 'Chromium is not installed')
  const { live, seconds } = options.sizes.page
  const service = await rig.startService({ DATABASE_URL: await rig.emptyDatabase() })
  const api = apiOf(`${service.url}/api/v1/repos/${REPOSITORY}`)
  const ids: string[] = []
  for (let n = 0; n < live; n += 1) ids.push(await api.create(n))
  const browser = await startBrowser()
  const heartbeats = every(1000 / HEARTBEATS_PER_S, (n) => api.heartbeat(ids[n % live] as string))
  try {
    const runs: Figures[] = []
    for (let round = 0; round < options.sizes.rounds + WARM_UPS; round += 1) {
      const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } })
      const page = await context.newPage()
      const prefix = `Change ${round}`
      const of = { url: service.url, api, newest: ids.slice(-NEWEST), seconds, prefix }
      await browser.startTracing(page, { categories: ['toplevel'] })
      const figures = await measured(page, of)
      runs.push({ ...figures, longest_cpu_ms: longestTaskIn(await browser.stopTracing()) })
      await context.close()
    }
    report(rig, runs.slice(WARM_UPS))
  } finally {
    await heartbeats.stop()
    await browser.close()
    await service.stop()
  }
}

interface Figures {
  first_ms: number
  seen_ms: number[]
  longest_ms: number
  /** Processor time of the longest task of the main thread, which other processes of the machine do not lengthen. */
  longest_cpu_ms: number
  script_bytes: number
  /** Requests to the API after the page was loaded, without the signal report, which has its own pace. */
  requests: number
}

async function measured(
  page: Page,
  of: { url: string; api: Api; newest: string[]; seconds: number; prefix: string },
): Promise<Omit<Figures, 'longest_cpu_ms'>> {
  await page.addInitScript(RECORDER)
  let [script_bytes, requests] = [0, 0]
  let isLoaded = false
  page.on('response', async (response) => {
    if (response.url().endsWith('.js')) script_bytes += (await response.body()).length
  })
  page.on('request', (request) => {
    if (isLoaded && request.url().includes('/api/') && !request.url().endsWith('/signal')) requests += 1
  })
  await page.goto(`${of.url}/#/${REPOSITORY}`)
  await recordedUntil(page, ({ is_loaded }) => is_loaded)
  await wait(SETTLE_MS)
  isLoaded = true
  const committed: Record<string, number> = {}
  const changes = every(1000 / CHANGES_PER_S, async (n) => {
    const title = `${of.prefix}.${n}`
    await of.api.rename(of.newest[n % of.newest.length] as string, title)
    committed[title] = Date.now()
  })
  await wait(of.seconds * 1000)
  await changes.stop()
  const last = Object.keys(committed).at(-1) as string
  const recorded = await recordedUntil(page, ({ seen }) => seen[last] !== undefined)
  return {
    first_ms: recorded.first_ms,
    // A title that the next change replaced before it was in sight counts as never seen.
    seen_ms: Object.entries(committed).map(([title, at]) => (recorded.seen[title] ?? Infinity) - at),
    longest_ms: recorded.longest_ms,
    script_bytes,
    requests,
  }
}

/**
 * What the page recorded once `isDone`, or after a while. Playwright's own ways to wait search the page in its main thread,
 * which takes longer than the tasks of the page.
 */
async function recordedUntil(page: Page, isDone: (recorded: Recorded) => boolean): Promise<Recorded> {
  const deadline = Date.now() + WAIT_MAX_MS
  for (;;) {
    const recorded = (await page.evaluate('recorded')) as Recorded
    if (isDone(recorded) || Date.now() > deadline) return recorded
    await wait(POLL_MS)
  }
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  args: { name?: string }
  /** Processor time in microseconds. */
  tdur?: number
}

/** The processor time of the longest task of a main thread in a trace of Chromium. */
function longestTaskIn(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain'
  const main = new Set(traceEvents.filter(isMain).map(threadOf))
  return traceEvents
    .filter((event) => event.name.endsWith('RunTask') && main.has(threadOf(event)))
    .reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0)
}

function report({ results, options }: Rig, runs: Figures[]): void {
  const { live } = options.sizes.page
  const add = (name: string, label: string, unit: 'ms' | 'kB' | 'requests', of: (run: Figures) => number) =>
    results.add(`page.${name}`, `page of ${live} live activities, ${label}`, unit, runs.map(of))
  add('first', 'first content', 'ms', ({ first_ms }) => first_ms)
  add('seen', 'commit to sight, slowest change', 'ms', ({ seen_ms }) => Math.max(...seen_ms))
  add('busy', 'longest task of the main thread (0: below 50)', 'ms', ({ longest_ms }) => longest_ms)
  add('cpu', 'longest task, processor time', 'ms', ({ longest_cpu_ms }) => longest_cpu_ms)
  add('script', 'script', 'kB', ({ script_bytes }) => script_bytes / 1000)
  add('requests', 'requests while others change records', 'requests', ({ requests }) => requests)
}

type Api = ReturnType<typeof apiOf>

function apiOf(base: string) {
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  return {
    /** Thirty people in forty folders; every fourth activity collides with another one. */
    create: async (n: number): Promise<string> => {
      const file = n % 4 === 0 ? 'shared.ts' : `file-${n}.ts`
      const { activity } = (await send('POST', '/activity', {
        title: `Work ${n}`,
        summary: 'Some work.',
        actor: `person-${n % 30}`,
        branch: `work-${n}`,
        scope: { areas: [`area-${n % 8}`], paths: [`src/part-${n % 40}/${file}`, `docs/page-${n}.md`] },
      })) as { activity: { id: string } }
      return activity.id
    },
    heartbeat: (id: string) => send('POST', `/activity/${id}/heartbeat`),
    rename: (id: string, title: string) => send('PATCH', `/activity/${id}`, { title }),
  }
}

/** Starts `work` at a steady pace, whether or not earlier runs have ended. `stop` waits for all of them. */
function every(ms: number, work: (n: number) => Promise<unknown>): { stop(): Promise<void> } {
  const running = new Set<Promise<unknown>>()
  let n = 0
  const timer = setInterval(() => {
    const run = work(n).finally(() => running.delete(run))
    running.add(run)
    n += 1
  }, ms)
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all(running)
    },
  }
}
