/** The disk of the embedded database full, and with space again (contract §3). */
import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENT, type Scene, startScene } from '../support/fault-scene.ts'
import { listTitles, startLoad } from '../support/keyed-load.ts'
import { openLedger, strange } from '../support/ledger.ts'
import { startProcess } from '../support/process.ts'
import { apiAt } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const run = promisify(execFile)
const MEBIBYTE = 1024 * 1024
const DISK_MEBIBYTES = 160

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

/** A small file system of its own; undefined where this user may not mount one. */
async function smallDisk() {
  const directory = await temporaryDirectory('disk')
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEBIBYTES}m`, 'tmpfs', directory.path])
  } catch {
    await directory.remove()
    return undefined
  }
  const unmount = async () => {
    await run('umount', ['--lazy', directory.path])
    await directory.remove()
  }
  return { path: directory.path, unmount }
}

/** Takes what space is left, to the last block. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (const block of [Buffer.alloc(MEBIBYTE), Buffer.alloc(4096)])
      await file
        .write(block)
        .then(async () => {
          for (;;) await file.write(block)
        })
        .catch((error: NodeJS.ErrnoException) => expect(error.code).toBe('ENOSPC'))
  } finally {
    await file.close()
  }
}

test('writes are 503 and reads go on, the log names the disk, and with space again it goes on by itself', async ({
  skip,
}) => {
  const disk = await smallDisk()
  if (!disk) return skip('this user may not mount a small file system')
  const env = { ...scene.env, DATA_DIR: join(disk.path, 'data') }
  const service = await startProcess(env)
  const ledger = openLedger('disk of the embedded database full', '8 clients')
  const load = startLoad([service.url], ledger)
  await expect.poll(() => ledger.acknowledged.size, PATIENT).toBeGreaterThan(100)
  await fill(join(disk.path, 'ballast'))
  await expect.poll(() => ledger.refused['503'] ?? 0, PATIENT).toBeGreaterThan(50)
  const api = apiAt(service.url, 'ada')
  const read = await api('GET', '/activity?limit=100')
  expect(read.status).toBe(200)
  expect(read.body.items).toHaveLength(100)
  expect(service.said()).toMatch(/"code":"53100".*the disk of the database is full/)
  expect(service.isRunning()).toBe(true)
  await rm(join(disk.path, 'ballast'))
  const acknowledged = ledger.acknowledged.size
  await expect.poll(() => ledger.acknowledged.size, PATIENT).toBeGreaterThan(acknowledged + 100)
  await load.stop()
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0, errors: [] })

  const heir = await startProcess(env)
  const row = ledger.close(await listTitles(heir.url))
  expect(row).toMatchObject({ lost: 0, doubled: 0 })
  expect(strange(row, ['503'])).toEqual([])
  expect(await heir.kill('SIGTERM')).toMatchObject({ code: 0 })
  await disk.unmount()
})
