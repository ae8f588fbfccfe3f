/** Each CHECK constraint rejects invalid rows on each database, whoever writes them. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { codeOf } from '../../src/server/platform/db/errors.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const { service } = useService()

const execute = (statement: string) => service.db.execute(sql.raw(statement))

beforeAll(async () => {
  const headers = { 'Idempotency-Key': 'once' }
  for (const [path, body] of [['/activity', ACTIVITY] as const, ['/notables', NOTABLE] as const])
    expect((await service.api('POST', path, { body, headers })).status).toBe(201)
  await execute(`insert into pull_requests (repo_id, number, is_open, is_draft, is_bot, is_muted, is_behind, head_sha,
    title, branch, base_branch, author, pushed_at, push_received_at, opened_at, changed_at, related_ids) values (7, 7, true, false,
    false, false, false, repeat('a', 40), 'Retry', 'retry', 'main', 'ada', now(), now(), now(), now(), '{}')`)
  await execute(`insert into pairs (repo_id, a, b, sides, consequence, files, seen_at)
    values (7, '#7', '#8', '{}', 'conflict', '[]', now())`)
  await execute(`insert into jobs (id, kind, repo_id, state, run_at, enqueued, attempts, created_at, updated_at)
    values ('a', 'a', 7, 'pending', now(), 1, 0, now(), now())`)
  await execute(`insert into setup_codes (code_hash, expires_at) values (repeat('a', 64), now())`)
  await execute(`insert into created_app (credentials, created_at) values ('jwe', now())`)
})

const PR = 'https://github.com/acme/shop/pull'

/** The constraint without its table and `_check`, and a change that violates it. */
const BROKEN: [table: string, constraint: string, change: string][] = [
  ['activities', 'status', `status = 'resting'`],
  ['activities', 'expires_at', `expires_at = created_at - interval '1 second'`],
  ['activities', 'archived_at', `status = 'archived', archive_reason = 'requested'`],
  ['activities', 'archived_at', 'archived_at = created_at'],
  ['activities', 'archived_at', `archived_by = 'ada'`],
  ['activities', 'archive_reason', `status = 'archived', archived_at = created_at`],
  ['activities', 'archive_reason', `archive_reason = 'requested'`],
  ['activities', 'merged_at', `status = 'merged'`],
  ['activities', 'pr_number', 'pr_number = 7'],
  ['activities', 'pr_number', `pr_url = '${PR}/7'`],
  ['activities', 'pr_number', `pr_url = '${PR}/7', pr_number = 8`],
  ['activities', 'pr_number', `source = 'pull_request'`],
  ['notables', 'status', `status = 'planned'`],
  ['notables', 'expires_at', `expires_at = created_at - interval '1 second'`],
  ['notables', 'archived_at', `status = 'archived'`],
  ['notables', 'archived_at', 'archived_at = created_at'],
  ['notables', 'superseded_by', `superseded_by = 'ntb_01h455vb4pex5vsknk084sn02q'`],
  ['repositories', 'uninstalled_at', 'uninstalled_at = created_at, installation_id = 1'],
  ['pairs', 'order', 'b = a'],
  ['pairs', 'place', `merged = 'a'`],
  ['pairs', 'outcome', `outcome = 'resolved'`],
  ['jobs', 'state', `state = 'lost'`],
  ['created_app', 'id', 'id = 2'],
]

test.each(BROKEN)('%s rejects by %s: %s', async (table, constraint, change) => {
  const failure = await execute(`update ${table} set ${change}`).then(
    () => null,
    (error: unknown) => error,
  )
  expect(codeOf(failure)).toBe('23514')
  expect(String((failure as Error).cause)).toContain(`"${table}_${constraint}_check"`)
})

test('every constraint is validated and listed above', async () => {
  const rows = await service.db
    .select({ name: sql<string>`conname`, is_valid: sql<boolean>`convalidated` })
    .from(sql`pg_constraint`)
    .where(sql`contype = 'c' and connamespace = 'public'::regnamespace`)
  expect(rows.filter(({ is_valid }) => !is_valid)).toEqual([])
  const listed = new Set(BROKEN.map(([table, constraint]) => `${table}_${constraint}_check`))
  expect(rows.map(({ name }) => name).sort()).toEqual([...listed].sort())
})
