/** Backup and restore as described in docs/operations.md. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'
import { debianBinaries } from '../support/postgres.ts'
import type { ServiceProcess } from '../support/process.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { forTest } from '../support/use-started.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const run = promisify(execFile)

const deployment = useDeployment()

const REPLAYED = { body: NOTABLE, headers: { 'Idempotency-Key': 'kept' } }

/** A record of each kind, one of them under an idempotency key, and a pull request. */
async function fill({ url }: ServiceProcess): Promise<void> {
  const api = apiAt(url, 'ada')
  await api('POST', '/activity', { body: ACTIVITY })
  await api('POST', '/notables', REPLAYED)
  const { number } = deployment.github
    .at('acme/shop')
    .open({ files: ['src/[id].ts'], head: `t${url.length}` })
  await deployment.deliver(url, pullRequestEvent(deployment.github, 'acme/shop', number, 'opened'))
  await expect.poll(async () => (await api('GET', '/activity')).body.items).toHaveLength(2)
}

async function readAll({ url }: ServiceProcess): Promise<unknown[]> {
  const api = apiAt(url, 'ada')
  const lists = await Promise.all(
    ['/activity', '/notables'].map(async (path) => (await api('GET', path)).body),
  )
  const replay = await api('POST', '/notables', REPLAYED)
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  return [...lists, replay.body]
}

/** Without the App, because catching up with GitHub at the start would change the restored data. */
const ALONE = { APP_ID: undefined, PRIVATE_KEY: undefined, WEBHOOK_SECRET: undefined }

const bin = process.env.TEST_DATABASE_URL ? undefined : debianBinaries()
const canDump = bin !== undefined && existsSync(join(bin, 'pg_dump'))

describe.skipIf(!canDump)('on PostgreSQL (skipped where pg_dump of the server is missing)', () => {
  test('a service on what pg_restore restored of a pg_dump answers the same', async () => {
    const original = await freshDatabase()
    const [first] = (await deployment.start(1, { DATABASE_URL: original.database_url })) as [ServiceProcess]
    await fill(first)
    const before = await readAll(first)
    const directory = await forTest(temporaryDirectory('backup'))
    const file = join(directory.path, 'deconflict.dump')
    // The service keeps running.
    await run(join(bin as string, 'pg_dump'), [
      '--format=custom',
      `--file=${file}`,
      original.database_url as string,
    ])
    await first.kill('SIGTERM')

    const restored = await emptyDatabase()
    await run(join(bin as string, 'pg_restore'), [
      '--no-owner',
      '--exit-on-error',
      `--dbname=${restored.url}`,
      file,
    ])
    const [second] = (await deployment.start(1, { DATABASE_URL: restored.url, ...ALONE })) as [ServiceProcess]
    expect(await readAll(second)).toEqual(before)
    await second.kill('SIGTERM')
    await original.drop()
  })
})

test('a copy of the embedded database, made while the service is stopped, answers the same', async () => {
  const directory = await forTest(temporaryDirectory('data'))
  const original = join(directory.path, 'original')
  const [first] = (await deployment.start(1, { DATA_DIR: original })) as [ServiceProcess]
  await fill(first)
  const before = await readAll(first)
  expect(await first.kill('SIGTERM')).toMatchObject({ code: 0 })
  const copy = join(directory.path, 'copy')
  await cp(original, copy, { recursive: true })
  const [second] = (await deployment.start(1, { DATA_DIR: copy, ...ALONE })) as [ServiceProcess]
  expect(await readAll(second)).toEqual(before)
  await second.kill('SIGTERM')
})
