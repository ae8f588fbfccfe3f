/** Work on the ledger of one repository waits without a connection of the pool (docs/architecture.md#mechanisms). */
import type { TransactionSql } from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { editOfPay } from '../support/lines.ts'
import { connectRaw } from '../support/postgres.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const { service, repository: repo } = usePullRequests()
let raw: ReturnType<typeof connectRaw>
beforeAll(() => {
  raw = connectRaw(service.app.config.database_url as string)
})
afterAll(() => raw.end())

const waiting = async (tx: TransactionSql) => {
  const [row] = await tx`select count(*)::int as count from pg_locks
  where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
  return row?.count
}
const { filename: path, patch } = editOfPay(40, ['mine'])
const create = async (branch: string) => {
  const scope = { changes: [{ path, status: 'modified', patch }] }
  const body = { title: branch, summary: 'Retries.', actor: 'Ben', branch, scope }
  expect((await repo.request('POST', '/activity', { body })).status).toBe(201)
}

test('while another instance holds the ledger, one connection waits for it, whatever the number of creates, and all are recorded afterwards', async () => {
  const { number } = repo.githubRepo.open({ files: [editOfPay(40, ['theirs'])] })
  await service.deliverAndRun(repo.event(number, 'opened'))
  await raw.begin(async (tx) => {
    const name = JSON.stringify(['pairs', repo.id])
    await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
    for (const branch of ['one', 'two', 'three']) await create(branch)
    await expect.poll(() => waiting(tx)).toBe(1)
    // Others are served meanwhile.
    for (let times = 0; times < 5; times += 1)
      expect((await repo.request('GET', '/activity')).status).toBe(200)
    expect(await waiting(tx)).toBe(1)
  })
  await service.app.background.idle()
  const { recent } = (await repo.request('GET', '/signal')).body
  const branches = recent.flatMap(({ sides }: { sides: { branch: string | null }[] }) =>
    sides.flatMap(({ branch }) => branch ?? []),
  )
  expect(new Set(branches)).toEqual(new Set(['one', 'two', 'three']))
})
