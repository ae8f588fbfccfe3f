/** The service over HTTP next to swarm-mail, which leases globs too, as a library in one process. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startTask, type Task } from '../child.ts'
import { interleaved } from '../measure.ts'
import type { PeerResult } from '../processes/peer.ts'
import { type Rig, TOKEN } from '../rig.ts'
import { create, sparseCheck } from '../work.ts'

const PACKAGE = 'swarm-mail@1.11'
const INSTALL_MS = 180_000

export async function peerPart(rig: Rig): Promise<void> {
  const peer = await startPeer(rig)
  if (!peer) return
  const { url } = await rig.service()
  const loader = await rig.loader()
  const ms = rig.options.sizes.round_ms
  const load = { urls: [url], token: TOKEN, clients: 1, ms }
  const theirs = (kind: 'check' | 'reserve') => async () => (await peer.request({ kind, ms })).p50
  const figures = await interleaved(rig.options.sizes.rounds, {
    check: async () => (await loader.run({ ...load, requests: [sparseCheck('busy')] }, { status: 200 })).p50,
    peer_check: theirs('check'),
    create: async () => {
      const task = { ...load, requests: [create('created')], count: 200 }
      return (await loader.run(task, { status: 201 })).p50
    },
    peer_reserve: theirs('reserve'),
  })
  const { size } = rig.names.busy
  const add = (id: keyof typeof figures, label: string) =>
    rig.results.add(`peer.${id}`, label, 'ms', figures[id])
  add('check', `check at ${size} live activities, over HTTP, p50`)
  add('peer_check', `swarm-mail, check at ${rig.options.sizes.leases} leases, in process, p50`)
  add('create', `create at ${size} live activities, over HTTP, p50`)
  add('peer_reserve', `swarm-mail, reserve at ${rig.options.sizes.leases} leases, in process, p50`)
  await peer.close()
}

/** Installs the package into the scratch directory. Undefined, with the reason in the results, when that fails. */
async function startPeer(rig: Rig): Promise<Task<PeerResult> | undefined> {
  const directory = join(rig.scratch, 'peer')
  try {
    await mkdir(join(directory, 'project'), { recursive: true })
    rig.say(`  installing ${PACKAGE}`)
    const flags = ['install', '--no-audit', '--no-fund', '--prefix', directory, PACKAGE]
    await promisify(execFile)('npm', flags, { timeout: INSTALL_MS })
    const { leases } = rig.options.sizes
    return await startTask<PeerResult>('peer', {
      setUp: { directory, leases },
      env: { HOME: directory },
      cwd: directory,
    })
  } catch (error) {
    rig.results.skip(PACKAGE, `installation or start failed: ${firstLine(error)}`)
    return undefined
  }
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return (stderr || message).trim().split('\n').slice(0, 2).join(' ')
}
