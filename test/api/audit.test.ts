/** The audit log: which writes it has, what it never contains, and what happens if it cannot be written (docs/operations.md#audit-log). */
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../../src/server/platform/config.ts'
import type { AuditEntry } from '../../src/server/platform/telemetry/audit.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'
import { startTestService } from '../support/service.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts'

let directory: TemporaryDirectory
let file: string
const config: Partial<Config> = {}

beforeAll(async () => {
  directory = await temporaryDirectory('audit')
  file = join(directory.path, 'audit.jsonl')
  config.audit_log = file
})
afterAll(() => directory.remove())
const { service, repository } = usePullRequests({ config })
beforeEach(async () => {
  await written()
  await rename(file, `${file}.old`).catch(() => undefined)
})

const written = () => service.app.audit?.idle()
const lines = async (): Promise<AuditEntry[]> => {
  await written()
  const text = await readFile(file, 'utf8').catch(() => '')
  return JSON.parse(`[${text.trim().replaceAll('\n', ',')}]`)
}
const create = (options: object = {}) =>
  repository.request('POST', '/activity', {
    body: { ...ACTIVITY, scope: { paths: ['src/secret.ts'] } },
    ...options,
  })

describe('the audit log', () => {
  test('has a line for each write of a person', async () => {
    const { body, headers } = await create()
    const { id } = body.activity
    await repository.archive(id)
    await repository.request('POST', '/notables', { body: NOTABLE })
    const [owner, repo] = repository.full_name.split('/')
    const all = await lines()
    expect(all[0]).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      request_id: headers.get('x-request-id'),
      action: 'createActivity',
      login: 'ada',
      owner,
      repo,
      record_id: id,
      source: 'rest',
      address: '127.0.0.1',
    })
    expect(all.map(({ action, record_id }) => [action, record_id])).toEqual([
      ['createActivity', id],
      ['archiveActivity', id],
      ['createNotable', expect.stringMatching(/^ntb_/)],
    ])
  })

  test('has no line for reads, refused requests and replays', async () => {
    await repository.request('GET', '/activity')
    await repository.request('POST', '/activity/check', { body: {} })
    await repository.request('POST', '/activity', { body: { title: 'x' } })
    const headers = { 'Idempotency-Key': 'once' }
    await create({ headers })
    expect((await create({ headers })).status).toBe(201)
    expect((await lines()).map(({ action }) => action)).toEqual(['createActivity'])
  })

  test('has a line for what was committed although the answer fails', async () => {
    const { id } = (await create()).body.activity
    const db = service.db
    const write = (method: string, path: string) =>
      repository.request(method, `/activity/${id}${path}`, { body: path ? undefined : { risk: 'high' } })
    await db.execute('alter table notables rename to elsewhere')
    const answers = [await create(), await write('PATCH', ''), await write('POST', '/heartbeat')]
    await db.execute('alter table elsewhere rename to notables')
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500])
    const actions = (await lines()).map(({ action }) => action)
    expect(actions.slice(1)).toEqual(['createActivity', 'updateActivity', 'heartbeatActivity'])
  })

  test('has what the App writes on GitHub', async () => {
    const edit = ['src/pay.ts']
    await repository.open({ head: 'one', files: edit })
    const number = await repository.open({ head: 'two', files: edit })
    await repository.writeFile('.github/deconflict.yml', 'check_run: perhaps')
    const given = { login: null, source: 'app', address: null }
    expect(await lines()).toMatchObject([
      { ...given, action: 'commented', record_id: `#${number}` },
      { ...given, action: 'check_run_reported', record_id: null },
    ])
  })

  test('fails no request if it cannot be written, and says so', async () => {
    await mkdir(file)
    expect((await create()).status).toBe(201)
    await written()
    await rename(file, `${file}.directory`)
    expect(service.log.join('')).toContain('line not written to AUDIT_LOG')
    expect(await service.app.metrics.registry.metrics()).toMatch(/deconflict_audit_failures_total [1-9]/)
    await create()
    expect(await lines()).toHaveLength(1)
  })

  test('says at the start of the service that its file cannot be opened', async () => {
    const audit_log = join(directory.path, 'none', 'audit.jsonl')
    const service = await startTestService({ token: 'ada', config: { audit_log } })
    try {
      await service.app.audit?.idle()
      expect(service.log.join('')).toMatch(/"code":"ENOENT","msg":"line not written to AUDIT_LOG/)
    } finally {
      await service.close()
    }
  })
})
