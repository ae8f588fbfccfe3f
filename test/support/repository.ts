/** A repository for each test, with methods that create records and check for overlap. */
import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import type { z } from 'zod'
import type { Config } from '../../src/server/platform/config.ts'
import type { Db } from '../../src/server/platform/db/database.ts'
import { activities } from '../../src/server/records/activities/table.ts'
import { file_changes } from '../../src/server/records/file-changes/table.ts'
import { raiseVersion } from '../../src/server/records/live-sets/store.ts'
import { repositories } from '../../src/server/records/repositories/table.ts'
import { isLive } from '../../src/vocabulary/activity-status.ts'
import type { Activity } from '../../src/vocabulary/contract/activity.ts'
import type { Notable } from '../../src/vocabulary/contract/notable.ts'
import type { OverlapResult } from '../../src/vocabulary/contract/overlap.ts'
import { EMPTY_SCOPE } from '../../src/vocabulary/contract/scope.ts'
import type { FileSettings } from '../../src/vocabulary/contract/settings.ts'
import { type Api, activitiesBy } from './api.ts'
import type { FakeGithub } from './github.ts'
import { type TestService, useService } from './service.ts'
import { useEach } from './use-started.ts'

type Body = Record<string, unknown>
type ActivityRow = typeof activities.$inferInsert

export type TestRepository = ReturnType<typeof testRepository>

const COUNT = 200
const FIRST_ID = 1000

/** Starts a service with an own database and GitHub for the tests of a file. `repository` returns another empty one at each call. */
export function useRepositories(config: Partial<Config> = {}) {
  const { github, service } = useService({ config, repositories: [] })
  return { github, service, repository: freshRepositories(github, service) }
}

export function useRepository(config: Partial<Config> = {}) {
  const shared = useRepositories(config)
  return { ...shared, repo: useEach(shared.repository) }
}

/** Returns a function that returns another empty repository at each call. Ada has admin access, Rita read access. */
export function freshRepositories(github: FakeGithub, service: TestService): () => TestRepository {
  const names = Array.from({ length: COUNT }, (_, index) => `acme/r${index}`)
  github.repositories(names, FIRST_ID)
  github.users(names, { ada: 'admin', rita: 'read' })
  let next = 0
  return () => {
    if (next === COUNT) throw new Error(`more than ${COUNT} repositories in one test file`)
    next += 1
    return testRepository(service, FIRST_ID + next - 1, names[next - 1] as string)
  }
}

/** As Ada calls it. The service may start later. */
export function testRepository(service: TestService, repo_id: number, full_name: string) {
  /** Below the repository: `request('GET', '/activity')`. */
  const request: Api = (method, path, options) =>
    service.api(method, `/api/v1/repos/${full_name}${path}`, options)
  const done = async (status: number, path: string, body: Body) => {
    const answer = await request('POST', path, { body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    return answer.body
  }
  /** Creates an activity and returns it with its overlap; `body` overrides the default fields. */
  const create = (body: Body): Promise<{ activity: z.output<typeof Activity>; overlap: OverlapResult }> =>
    done(201, '/activity', { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ben', ...body })
  const createNotable = (body: Body): Promise<z.output<typeof Notable>> =>
    done(201, '/notables', {
      title: 'Tills are frozen',
      summary: 'Until Friday.',
      importance: 'low',
      category: 'warning',
      ...body,
    })
  return {
    id: repo_id,
    full_name,
    request,
    ...activitiesBy(request),
    create,
    /** Creates an activity and returns its id. */
    createActivity: async (body: Body) => (await create(body)).activity.id,
    /** Creates a notable and returns its id; `body` overrides the default fields. */
    createNotable: async (body: Body) => (await createNotable(body)).id,
    check: (body: Body): Promise<OverlapResult> => done(200, '/activity/check', body),
    /** The stored changes of files, in their order. */
    files: () =>
      service.db
        .select()
        .from(file_changes)
        .where(eq(file_changes.repo_id, repo_id))
        .orderBy(file_changes.position),
    /** Stores settings as a settings file would. */
    async configure(settings: FileSettings) {
      const { db, clock } = service
      const [owner = '', name = ''] = full_name.split('/')
      await db
        .insert(repositories)
        .values({ repo_id, owner, name, settings, created_at: clock.now, swept_at: clock.now })
        .onConflictDoUpdate({ target: repositories.repo_id, set: { settings } })
    },
    /** Inserts activities directly into the database; each overrides the default fields. */
    async insertActivities(rows: (Partial<ActivityRow> & { id: string })[]) {
      const { db, clock } = service
      const now = clock.now
      const defaults = {
        repo_id,
        title: 'Retry payments',
        summary: 'Retries twice.',
        actor: 'Ben',
        status: 'active',
        risk: 'low',
        scope: EMPTY_SCOPE,
        draft_pr: false,
        blocking: false,
        source: 'api',
        expires_at: new Date(now.getTime() + 86_400_000),
        updated_at: now,
      } as const
      // Columns that the constraints of the table require.
      const all = rows.map((row) => ({
        ...defaults,
        created_at: row.expires_at && row.expires_at < now ? row.expires_at : now,
        ...(row.status === 'archived' && { archived_at: now, archive_reason: 'requested' as const }),
        ...(row.status === 'merged' && { merged_at: now }),
        ...row,
      }))
      const live = all.filter((row) => isLive(row.status))
      const others = all.filter((row) => !isLive(row.status))
      if (live.length > 0)
        await db.transaction(async (tx) => {
          const { version } = await raiseVersion(tx, repo_id, { activities: live.length })
          await insertRows(tx, live, version)
        })
      await insertRows(db, others, 0)
    },
  }
}

async function insertRows(db: Db, rows: Omit<ActivityRow, 'version'>[], version: number) {
  for (let from = 0; from < rows.length; from += 500)
    await db.insert(activities).values(rows.slice(from, from + 500).map((row) => ({ ...row, version })))
}
