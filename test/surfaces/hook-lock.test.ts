/** The lock of the hooks of one session, with what other processes leave behind. */
import { spawnSync } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LockTimeout, shortHash, withLock } from '../../src/git/lock.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

let directory: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  directory = await temporaryDirectory('lock')
})
afterAll(() => directory.remove())

const FUTURE = Date.now() + 3_600_000
const ended = spawnSync(process.execPath, ['-e', '0']).pid
const locked = (key: string, timeout_ms: number) =>
  withLock({ directory: directory.path, key, timeout_ms }, async () => 'done')
const leave = (key: string, owner: string) => writeFile(join(directory.path, `lock-${shortHash(key)}`), owner)

test('one hook runs at a time, and none leaves a file behind', async () => {
  let running = 0
  const most: number[] = []
  const work = async () => {
    running += 1
    most.push(running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
  }
  const options = { directory: directory.path, key: 'one', timeout_ms: 60_000 }
  await Promise.all(Array.from({ length: 20 }, () => withLock(options, work)))
  expect(most.length).toBe(20)
  expect(Math.max(...most)).toBe(1)
  expect(await readdir(directory.path)).toEqual([])
})

test.each([
  ['a process that has ended', `${ended} ${FUTURE} ${hostname()}`],
  ['a running process whose time is over', `${process.pid} 1000 ${hostname()}`],
  ['another machine whose time is over', '1 1000 elsewhere'],
])('the lock of %s is broken', async (name, owner) => {
  await leave(name, owner)
  const all = await Promise.all(Array.from({ length: 5 }, () => locked(name, 60_000)))
  expect(all).toEqual(Array(5).fill('done'))
  expect(await readdir(directory.path)).toEqual([])
})

test.each([
  ['a running process', `${process.pid} ${FUTURE} ${hostname()}`],
  ['another machine', `${ended} ${FUTURE} elsewhere`],
  ['a process that is about to write its name', ''],
])('the lock of %s is respected', async (name, owner) => {
  await leave(name, owner)
  await expect(locked(name, 1)).rejects.toThrow(LockTimeout)
})

test('the lock is released if the hook fails', async () => {
  const options = { directory: directory.path, key: 'failing', timeout_ms: 60_000 }
  await expect(withLock(options, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(options, async () => 'done')).toBe('done')
})
