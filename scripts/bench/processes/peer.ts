/** swarm-mail (https://www.npmjs.com/package/swarm-mail): leases on globs with a time to live, in SQLite in the caller's process. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface PeerSetUp {
  /** Where the package is installed. */
  directory: string
  leases: number
}

export interface PeerTask {
  kind: 'check' | 'reserve'
  ms: number
}

export interface PeerResult {
  count: number
  /** Milliseconds. */
  p50: number
}

/** The part of its API that is used here. */
interface SwarmMail {
  registerAgent(project: string, name: string): Promise<unknown>
  reserveFiles(project: string, agent: string, paths: string[], options: object): Promise<unknown>
  checkConflicts(project: string, agent: string, paths: string[]): Promise<unknown[]>
  getActiveReservations(project: string): Promise<unknown[]>
}

const PROJECT = '/peer/project'
const LEASE = { exclusive: true, ttlSeconds: 86_400 }
let number = 0

process.once('message', (setUp: PeerSetUp) => {
  run(setUp).catch((error: Error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  })
})

async function run({ directory, leases }: PeerSetUp): Promise<void> {
  // It logs every conflict that it finds.
  Object.assign(globalThis.console, { log: () => {}, warn: () => {} })
  const file = join(directory, 'node_modules/swarm-mail/dist/index.js')
  const { getSwarmMailLibSQL } = (await import(pathToFileURL(file).href)) as {
    getSwarmMailLibSQL(project: string): Promise<SwarmMail>
  }
  const mail = await getSwarmMailLibSQL(join(directory, 'project'))
  await mail.registerAgent(PROJECT, 'holder')
  // One path each: in this version, a reservation of ten paths fails.
  for (let n = 0; n < leases; n++)
    await mail.reserveFiles(PROJECT, 'holder', [`packages/p${n}/src/**`], LEASE)
  await mail.registerAgent(PROJECT, 'checker')
  process.on('message', (task: PeerTask) => {
    measure(mail, task).then(
      (result) => process.send?.(result),
      (error: Error) => {
        process.stderr.write(`${error.stack}\n`)
        process.exit(1)
      },
    )
  })
  process.send?.({ leases: (await mail.getActiveReservations(PROJECT)).length })
}

async function measure(mail: SwarmMail, { kind, ms }: PeerTask): Promise<PeerResult> {
  const times: number[] = []
  const started = performance.now()
  do {
    const own = `packages/q${String(++number).padStart(8, '0')}`
    const begun = performance.now()
    if (kind === 'check') await mail.checkConflicts(PROJECT, 'checker', [`${own}/src/**`, `${own}/README.md`])
    else await mail.reserveFiles(PROJECT, 'checker', [`${own}/src/**`], LEASE)
    times.push(performance.now() - begun)
  } while (performance.now() - started < ms)
  times.sort((a, b) => a - b)
  return { count: times.length, p50: times[times.length >> 1] as number }
}
