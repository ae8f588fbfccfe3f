/**
 * Plays random schedules against three instances (one behind a proxy, one with a clock that jumps, and where it is installed, one
 * behind a pooler), while things fail, and checks the answers against the promises of docs/reliability.md. `HISTORIES=2000` plays
 * more, `TEST_SEED=random` others, and `BUGS=1` plays them against builds with one bug each.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Promised, record, textOf, type World } from '../support/histories.ts'
import { buggyVersion, filesWith } from '../support/next-version.ts'
import { IGNORED_PARAMETERS, poolerBinary, startPooler } from '../support/pooler.ts'
import { freePort, startCluster } from '../support/postgres.ts'
import { SHIFTED_CLOCK, startProcess } from '../support/process.ts'
import { PROMISES } from '../support/promises.ts'
import { randomOf } from '../support/random-merges.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { BUGS } from './bugs.ts'

const { HISTORIES = '200', TEST_SEED = '1', BUGS: withBugs } = process.env
const PLAYED = Math.ceil(Number(HISTORIES) / Object.keys(PROMISES).length)
const AT_ONCE = 5
/** When the jobs of an instance that was killed have run: another one takes them after 30 seconds. */
const LEASED_MS = 40_000

const fixture = useDeployment()

/** Three instances of a program on a PostgreSQL of their own. */
async function startThree(program?: string[]) {
  const cluster = await startCluster({ durable: true })
  const proxy = await startTcpProxy(cluster.url)
  const binary = poolerBinary()
  const lines = [IGNORED_PARAMETERS, 'server_login_retry = 1']
  const pooler = binary === undefined ? undefined : await startPooler(binary, cluster.url, lines)
  const directory = await temporaryDirectory('clock')
  const CLOCK_FILE = join(directory.path, 'ahead-ms')
  const shift = (ms: number) => writeFile(CLOCK_FILE, String(ms))
  await shift(0)
  const ports = (await Promise.all([freePort(), freePort(), freePort()])).map(String)
  const env = { ...fixture.app_env, PERMISSION_TTL_MS: '300000', DATABASE_DIRECT_URL: cluster.url }
  const own = [
    { DATABASE_URL: proxy.url, DATABASE_DIRECT_URL: proxy.url },
    { DATABASE_URL: pooler?.urlOf(cluster.url) ?? cluster.url },
    { DATABASE_URL: cluster.url, NODE_OPTIONS: SHIFTED_CLOCK, CLOCK_FILE },
  ]
  const start = (index: number) => startProcess({ ...env, ...own[index], PORT: ports[index] }, program)
  const services = await Promise.all([0, 1, 2].map(start))
  const faults: Record<string, (victim: number) => Promise<unknown>> = {
    'no fault': async () => {},
    async 'an instance is killed'(victim) {
      await services[victim]?.kill('SIGKILL')
      services[victim] = await start(victim)
    },
    async 'PostgreSQL is killed'() {
      await cluster.crash()
      await cluster.restart()
    },
    async 'an instance stands still'(victim) {
      services[victim]?.signal('SIGSTOP')
      await wait(500)
      services[victim]?.signal('SIGCONT')
    },
    async 'connections are cut'() {
      proxy.refuse()
      await wait(300)
      proxy.restore()
    },
    async 'connections are slow'() {
      proxy.delay(50)
      await wait(1000)
      proxy.delay(0)
    },
    async 'a clock jumps'() {
      await shift(3_600_000)
      await wait(500)
      await shift(-3_600_000)
    },
  }
  return {
    urls: services.map(({ url }) => url),
    faults: Object.entries(faults),
    async close() {
      await Promise.all(services.map((service) => service.kill('SIGKILL')))
      await Promise.all([pooler?.remove(), proxy.close(), directory.remove()])
      await cluster.remove()
    },
  }
}
type Three = Awaited<ReturnType<typeof startThree>>

/** Plays histories beside one fault after another. Returns what contradicts the promise first; null if nothing does. */
async function play({ urls, faults }: Three, name: string, first_subject: number): Promise<string | null> {
  const promise = PROMISES[name] as Promised
  const random = randomOf(Number(TEST_SEED) + first_subject)
  const world = { urls, deployment: fixture }
  const played: number[] = []
  while (played.length < PLAYED) {
    const [fault, inject] = faults[(played.length / AT_ONCE) % faults.length] as Three['faults'][number]
    const broken = wait(random() * 500).then(() => inject(Math.floor(random() * urls.length)))
    const subjects = Array.from({ length: AT_ONCE }, (_, index) => first_subject + played.length + index)
    played.push(...subjects)
    const histories = await Promise.all(
      subjects.map((subject) => record(promise, { subject, world, random, broken })),
    )
    for (const history of histories)
      if (!promise.explains(history)) return `while ${fault}:\n${textOf(history)}`
  }
  if (promise.settle) await settled(promise.settle, world, played)
  return null
}

/** Also once the jobs of killed instances have run again. */
async function settled(settle: NonNullable<Promised['settle']>, world: World, subjects: number[]) {
  await Promise.all(subjects.map((subject) => settle(world, subject)))
  await wait(LEASED_MS)
  await Promise.all(subjects.map((subject) => settle(world, subject)))
}

const NAMES = Object.keys(PROMISES)
const subjectOf = (name: string) => 1 + 100_000 * NAMES.indexOf(name)

describe('three instances', () => {
  let three: Three
  beforeAll(async () => {
    three = await startThree()
  })
  afterAll(() => three.close())
  test.each(NAMES)('%s', { timeout: 600_000 }, async (name) => {
    expect(await play(three, name, subjectOf(name))).toBeNull()
  })
})

const ALL_BUGS = Object.entries(BUGS).flatMap(([promise, bugs]) =>
  Object.entries(bugs).map(([bug, texts]) => ({ promise, bug, texts })),
)

test.each(ALL_BUGS)('the bug can be seeded: $bug', async ({ texts: [from] }) => {
  expect(await filesWith(from)).toHaveLength(1)
})

describe.runIf(withBugs)('a bug is found', () => {
  test.each(ALL_BUGS)('$bug', { timeout: 600_000 }, async ({ promise, bug, texts }) => {
    const version = await buggyVersion(texts)
    const three = await startThree(version.program)
    const number = 1 + ALL_BUGS.findIndex((each) => each.bug === bug)
    const found = await play(three, promise, subjectOf(promise) + 1000 * number).catch(String)
    await three.close()
    await version.remove()
    expect(found).not.toBeNull()
  })
})
