/** The disk of the embedded database is full, and then has space again. */
import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { listTitles, startLoad } from '../support/keyed-load.ts'
import { startProcess } from '../support/process.ts'
import { countRequests } from '../support/request-counts.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { useDeployment } from '../support/use-deployment.ts'

const run = promisify(execFile)
const MEBIBYTE = 1024 * 1024
const DISK_MEBIBYTES = 160

const fixture = useDeployment()

/** A small separate file system; undefined if this user may not mount one. */
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

/** Fills the remaining space, to the last block. */
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

test('with a full disk writes are 503 and reads continue, the log names the disk, and writes resume with free space', async ({
  skip,
}) => {
  const disk = await smallDisk()
  if (!disk) return skip('this user may not mount a small file system')
  const env = { ...fixture.env, DATA_DIR: join(disk.path, 'data') }
  const service = await startProcess(env)
  const counts = countRequests('disk of the embedded database full', '8 clients')
  const load = startLoad([service.url], counts)
  await expect.poll(() => counts.acknowledged.size).toBeGreaterThan(100)
  await fill(join(disk.path, 'ballast'))
  await expect.poll(() => counts.refused['503'] ?? 0).toBeGreaterThan(50)
  const api = apiAt(service.url, 'ada')
  const read = await api('GET', '/activity?limit=100')
  expect(read.status).toBe(200)
  expect(read.body.items).toHaveLength(100)
  expect(service.output()).toMatch(/"code":"53100".*the disk of the database is full/)
  expect(service.isRunning()).toBe(true)
  await rm(join(disk.path, 'ballast'))
  const acknowledged = counts.acknowledged.size
  await expect.poll(() => counts.acknowledged.size).toBeGreaterThan(acknowledged + 100)
  await load.stop()
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0, errors: [] })

  const heir = await startProcess(env)
  counts.report(await listTitles(heir.url), ['503'])
  expect(await heir.kill('SIGTERM')).toMatchObject({ code: 0 })
  await disk.unmount()
})
