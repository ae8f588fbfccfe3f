/** Records from before the claims index are found from the first start on (migration 0003). */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newId } from '../../src/vocabulary/contract/id.ts'
import { type Api, apiAt } from '../support/api.ts'
import { runOn } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { migrateTo } from '../support/migrations.ts'
import { connectRaw, databaseUrl } from '../support/postgres.ts'
import { runAdmin } from '../support/process.ts'

const HOUR_MS = 3_600_000
const MANY = 300
const name = `deconflict_before_${process.pid}`

let deployment: Deployment
let env: { DATABASE_URL: string }
let api: Api
/** Title → id. */
const ids = new Map<string, string>()

type Given = { title: string; paths?: string[]; areas?: string[]; repo_id?: number } & Record<string, unknown>

const now = new Date()
const earlier = new Date(now.getTime() - HOUR_MS)
const later = new Date(now.getTime() + HOUR_MS)

function row(kind: 'act' | 'ntb', { paths = [], areas = [], ...given }: Given) {
  const id = newId(kind)
  ids.set(given.title, id)
  const times = { created_at: earlier, updated_at: earlier, expires_at: later }
  return {
    repo_id: 1,
    id,
    summary: 'As it was.',
    blocking: false,
    ...times,
    ...given,
    scope: { areas, paths },
  }
}

const activity = (given: Given) =>
  row('act', { actor: 'Ben', status: 'active', risk: 'low', draft_pr: false, source: 'api', ...given })
const notable = (given: Given) =>
  row('ntb', {
    category: 'warning',
    importance: 'low',
    status: 'active',
    supersedes: [],
    area_keys: given.areas?.map((label) => label.toLowerCase()) ?? [],
    ...given,
  })

const paths = ['src/pay']
const archived = { status: 'archived', archived_at: earlier }

const ACTIVITIES = [
  activity({ title: 'plain', paths }),
  activity({ title: 'wild', status: 'planned', paths: ['lib/**/*.ts'] }),
  activity({ title: 'braces', status: 'paused', paths: ['{api,web}/{a..c}/*.md', 'etc/{a,b}'] }),
  activity({ title: 'label', status: 'blocked', areas: ['Checkout'], risk: 'high' }),
  activity({ title: 'literal', status: 'ready-for-review', paths: ['app/[id].ts'], scope_is_literal: true }),
  activity({ title: 'grave', status: 'draft-pr-open', paths: ['docs/**'], blocking: true }),
  activity({ title: 'empty' }),
  activity({ title: 'merged', status: 'merged', merged_at: earlier, paths }),
  activity({ title: 'abandoned', status: 'abandoned', paths }),
  activity({ title: 'archived', ...archived, archive_reason: 'requested', paths }),
  activity({ title: 'expired', status: 'expired', expires_at: earlier, paths }),
  activity({ title: 'due', expires_at: earlier, paths }),
  ...Array.from({ length: MANY }, (_, n) => activity({ title: `many ${n}`, paths: [`many/${n}/**`] })),
  activity({ title: 'elsewhere', repo_id: 2, paths }),
]
const NOTABLES = [
  notable({ title: 'everywhere', importance: 'medium' }),
  notable({ title: 'area', areas: ['Checkout'], importance: 'critical' }),
  notable({ title: 'globs', paths: ['lib/*.ts', 'x/{y,z}/**'] }),
  notable({ title: 'put away', ...archived, paths }),
  notable({ title: 'over', status: 'expired', expires_at: earlier, paths }),
  notable({ title: 'ended', applies_until: earlier, paths }),
]

beforeAll(async () => {
  const { url } = inject('postgres')
  await runOn(url, `create database ${name}`)
  env = { DATABASE_URL: databaseUrl(url, name) }
  await migrateTo(env.DATABASE_URL, '0002_told')
  const sql = connectRaw(env.DATABASE_URL)
  for (const [repo_id, named] of [[1, 'shop'] as const, [2, 'docs'] as const])
    await sql`insert into repositories ${sql({ repo_id, owner: 'acme', name: named, created_at: earlier, swept_at: now })}`
  for (const [table, rows] of [['activities', ACTIVITIES] as const, ['notables', NOTABLES] as const])
    for (const each of rows)
      await sql`insert into ${sql(table)} ${sql(each as unknown as Record<string, string>)}`
  await sql.end()
  deployment = await startDeployment(['acme/shop', 'acme/docs'])
  const [service] = await deployment.start(1, env)
  api = apiAt(service?.url as string, 'ada')
})
afterAll(async () => {
  await deployment.close()
  await runOn(inject('postgres').url, `drop database ${name} with (force)`)
})

/** The records that a check of the scope finds, by title. */
async function found(scope: object, path = '') {
  const { body } = await api('POST', `${path}/activity/check`, { body: { scope } })
  const all = [...body.related_activity_ids, ...body.related_notable_ids]
  const titles = [...ids].filter(([, id]) => all.includes(id)).map(([title]) => title)
  expect(titles).toHaveLength(all.length)
  return { titles: titles.sort(), severity: body.severity, checked_against: body.checked_against }
}
const verified = async () => {
  const { code, lines } = await runAdmin(env, 'verify')
  return [code, lines.length]
}

test.each([
  [{ paths: ['src/pay/till.ts'] }, ['everywhere', 'plain'], 'medium'],
  [{ paths: ['src'] }, ['everywhere', 'plain'], 'medium'],
  [{ paths: ['lib/a/b.ts'] }, ['everywhere', 'wild'], 'medium'],
  [{ paths: ['lib/b.ts'] }, ['everywhere', 'globs', 'wild'], 'medium'],
  [{ paths: ['web/b/x.md', 'x/z/q'] }, ['braces', 'everywhere', 'globs'], 'medium'],
  [{ paths: ['web/d/x.md', 'etc/c'] }, ['everywhere'], 'medium'],
  [{ paths: ['etc/b/deep'] }, ['braces', 'everywhere'], 'medium'],
  [{ areas: ['checkout'] }, ['area', 'everywhere', 'label'], 'high'],
  [{ paths: ['app/*.ts'] }, ['everywhere', 'literal'], 'medium'],
  [{ paths: ['docs/guide.md'] }, ['everywhere', 'grave'], 'high'],
  [{ paths: ['many/7/x', 'many/299'] }, ['everywhere', 'many 299', 'many 7'], 'medium'],
  [{ paths: ['nowhere/*'] }, ['everywhere'], 'medium'],
])('%j overlaps with %j', async (scope, titles, severity) => {
  expect(await found(scope)).toMatchObject({
    titles,
    severity,
    checked_against: { activities: 7 + MANY, notables: 3, complete: true },
  })
})

test('each repository has only its own records', async () => {
  expect(await found({ paths }, '/api/v1/repos/acme/docs')).toMatchObject({
    titles: ['elsewhere'],
    checked_against: { activities: 1, notables: 0 },
  })
})

test('verify finds no problem, also after these records have changed and ended', async () => {
  expect(await verified()).toEqual([0, 1])
  const change = async (method: string, path: string, body?: object) =>
    expect((await api(method, path, { body })).status).toBe(200)
  await change('PATCH', `/activity/${ids.get('plain')}`, { scope: { paths: ['moved/**'] } })
  await change('PATCH', `/activity/${ids.get('braces')}`, { risk: 'critical' })
  await change('POST', `/activity/${ids.get('wild')}/archive`)
  await change('PATCH', `/notables/${ids.get('globs')}`, { importance: 'high' })
  await change('POST', `/notables/${ids.get('everywhere')}/archive`)
  expect(await found({ paths: ['src/pay', 'lib/b.ts', 'moved/x'] })).toMatchObject({
    titles: ['globs', 'plain'],
    severity: 'high',
    checked_against: { activities: 6 + MANY, notables: 2 },
  })
  expect(await verified()).toEqual([0, 1])
})
