/** The disk of the embedded database is full, and then has space again. */
import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { startLoad } from '../support/keyed-load.ts'
import { startProcess } from '../support/process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { forTest } from '../support/use-started.ts'

const run = promisify(execFile)
const MEBIBYTE = 1024 * 1024
const DISK_MEBIBYTES = 160

const fixture = useDeployment()

/** A small separate file system, until the end of the test; undefined if this user may not mount one. */
async function smallDisk() {
  const { path } = await forTest(temporaryDirectory('disk'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEBIBYTES}m`, 'tmpfs', path])
  } catch {
    return undefined
  }
  onTestFinished(async () => void (await run('umount', ['--lazy', path])))
  return path
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
  const env = { ...fixture.env, DATA_DIR: join(disk, 'data') }
  const service = await startProcess(env)
  const load = startLoad('disk of the embedded database full', [service.url])
  await load.acknowledges(100)
  await fill(join(disk, 'ballast'))
  await load.refuses(50)
  const api = apiAt(service.url, 'ada')
  const read = await api('GET', '/activity?limit=100')
  expect(read.status).toBe(200)
  expect(read.body.items).toHaveLength(100)
  expect(service.output()).toMatch(/"code":"53100".*the disk of the database is full/)
  expect(service.isRunning()).toBe(true)
  await rm(join(disk, 'ballast'))
  await load.acknowledges(100)
  await load.stop()
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0, errors: [] })

  const heir = await startProcess(env)
  await load.settle(heir.url)
  expect(await heir.kill('SIGTERM')).toMatchObject({ code: 0 })
})
