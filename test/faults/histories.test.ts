/**
 * Plays random schedules against three instances, while instances and PostgreSQL are killed or stand still, and checks the answers
 * against the promises of docs/reliability.md. `HISTORIES=2000` plays more, `TEST_SEED=random` others, and `BUGS=1` plays them
 * against builds with one bug each.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buggyVersion } from '../support/next-version.ts'
import { freePort, startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { PROMISES, type Promised, record, textOf } from '../support/promises.ts'
import { randomOf } from '../support/random-merges.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { BUGS } from './bugs.ts'

const { HISTORIES = '200', TEST_SEED = '1', BUGS: withBugs } = process.env
const PLAYED = Math.ceil(Number(HISTORIES) / Object.keys(PROMISES).length)
/** How many are played at once. */
const AT_ONCE = 10

const fixture = useDeployment()

/** Three instances of a program on a PostgreSQL of their own. */
async function startThree(program?: string[]) {
  const cluster = await startCluster({ durable: true })
  const ports = (await Promise.all([freePort(), freePort(), freePort()])).map(String)
  const start = (PORT = '') => startProcess({ ...fixture.env, DATABASE_URL: cluster.url, PORT }, program)
  const services = await Promise.all(ports.map(start))
  const faults: Record<string, (victim: number) => Promise<unknown>> = {
    'no fault': async () => {},
    async 'an instance is killed'(victim) {
      await services[victim]?.kill('SIGKILL')
      services[victim] = await start(ports[victim])
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
  }
  return {
    urls: services.map(({ url }) => url),
    faults: Object.entries(faults),
    async close() {
      await Promise.all(services.map((service) => service.kill('SIGKILL')))
      await cluster.remove()
    },
  }
}
type Three = Awaited<ReturnType<typeof startThree>>

/** Plays histories beside one fault after another. Returns what contradicts the promise first; null if nothing does. */
async function play({ urls, faults }: Three, name: string, first_subject: number): Promise<string | null> {
  const promise = PROMISES[name] as Promised
  const random = randomOf(Number(TEST_SEED) + first_subject)
  for (let played = 0; played < PLAYED; played += AT_ONCE) {
    const [fault, inject] = faults[(played / AT_ONCE) % faults.length] as Three['faults'][number]
    const broken = wait(random() * 500).then(() => inject(Math.floor(random() * urls.length)))
    const subjects = Array.from({ length: AT_ONCE }, (_, index) => first_subject + played + index)
    const histories = await Promise.all(subjects.map((subject) => record(promise, { subject, urls, random })))
    await broken
    for (const history of histories)
      if (!promise.explains(history)) return `while ${fault}:\n${textOf(history)}`
  }
  return null
}

const NAMES = Object.keys(PROMISES)
const subjectOf = (name: string) => 1 + 100_000 * NAMES.indexOf(name)

describe('three instances', () => {
  let three: Three
  beforeAll(async () => {
    three = await startThree()
  })
  afterAll(() => three.close())
  test.each(NAMES)('%s', async (name) => {
    expect(await play(three, name, subjectOf(name))).toBeNull()
  })
})

describe.runIf(withBugs)('a bug is found', () => {
  test.each(Object.entries(BUGS))('%s', async (_, bug) => {
    const version = await buggyVersion(bug)
    const three = await startThree(version.program)
    let found: string | null = null
    for (const name of NAMES) found ??= await play(three, name, subjectOf(name)).catch(String)
    await three.close()
    await version.remove()
    expect(found).not.toBeNull()
  })
})
