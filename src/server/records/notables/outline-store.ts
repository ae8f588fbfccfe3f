/** Reads notables as they are compared in memory. Every statement starts with the repository id. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Change, Outline } from '../../../engine/record.ts'
import { notableWeight } from '../../../vocabulary/severity.ts'
import type { Db } from '../../platform/db/database.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { type NotableRow, notables } from './table.ts'

const { id, status, importance, blocking, scope, expires_at, applies_until, version } = notables
const outlined = { id, status, importance, blocking, scope, expires_at, applies_until, version }
type Outlined = Pick<NotableRow, Exclude<keyof typeof outlined, 'version'>> & { version: number }

function changedOf(row: Outlined): Change {
  if (row.status !== 'active') return { id: row.id, version: row.version, outline: null }
  const ends_at = Math.min(row.expires_at.getTime(), row.applies_until?.getTime() ?? Number.POSITIVE_INFINITY)
  const outline: Outline = {
    id: row.id,
    kind: 'notable',
    weight: notableWeight(row),
    branch: null,
    base_branch: null,
    ends_at,
    pr_number: null,
    is_cut: false,
    scope: { ...row.scope, is_literal: false, files: [], taken: [] },
  }
  return { id: row.id, version: row.version, outline }
}

const readActive = prepared('notables_outlined', (db) =>
  db
    .select(outlined)
    .from(notables)
    .where(and(eq(notables.repo_id, sql.placeholder('repo_id')), sql`status = 'active'`)),
)

/** The notables that are stored as active, in any order: a repository has at most a tenth as many as activities. */
export async function listActiveOutlines(db: Db, repo_id: number): Promise<Change[]> {
  return (await readActive(db, { repo_id })).map(changedOf)
}

const readChanged = prepared('notables_changed', (db) =>
  db
    .select(outlined)
    .from(notables)
    .where(
      and(
        eq(notables.repo_id, sql.placeholder('repo_id')),
        sql`${notables.version} > ${sql.placeholder('version')}::bigint`,
      ),
    )
    .orderBy(asc(notables.repo_id), asc(notables.version)),
)

/** The notables that changed after `version`, in the order of their changes. */
export async function listChangedNotables(db: Db, repo_id: number, version: number): Promise<Change[]> {
  return (await readChanged(db, { repo_id, version })).map(changedOf)
}
