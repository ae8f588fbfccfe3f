/** Finds problems of stored rows that no constraint of the schema can prevent, with a remedy for each row. */
import { z } from 'zod'
import { type Clock, later } from '../../vocabulary/clock.ts'
import { printableId } from '../../vocabulary/contract/id.ts'
import { CreateNotable } from '../../vocabulary/contract/notable.ts'
import { labelKey, Scope, ShownScope } from '../../vocabulary/contract/scope.ts'
import { FileSettings, Settings, SettingsProblem } from '../../vocabulary/contract/settings.ts'
import type { ActivityRow } from '../activities/table.ts'
import type { Db } from '../db/database.ts'
import { AttributeRule } from '../line-verdicts/git-attributes.ts'
import type { NotableRow } from '../notables/table.ts'
import { KEY_RETENTION_MS } from '../operations/idempotency.ts'
import type { RepositoryRow } from '../repositories/store.ts'
import { type CheckedTable, findExisting, type RowsOf } from './integrity-store.ts'

/** The field, and what is wrong with it. */
export interface RowProblem {
  field: string
  problem: string
}

interface Where {
  repo_id: number
  clock: Clock
}

interface CheckedRow {
  name: string
  problems: RowProblem[]
  remedy: string
}

type Checks = {
  [Name in CheckedTable]: (db: Db, where: Where, rows: RowsOf[Name][]) => Promise<CheckedRow[]>
}

const CHECKS: Checks = {
  async activities(_, { repo_id }, rows) {
    return rows.map((row) => ({
      name: printableId(row.id),
      problems: checkScope(row),
      remedy: recordRemedy('activities', repo_id, row.id),
    }))
  },
  async notables(db, { repo_id }, rows) {
    const named = rows.flatMap((row) => row.superseded_by ?? [])
    const successors = await findExisting(db, 'notables', repo_id, named)
    return rows.map((row) => ({
      name: printableId(row.id),
      problems: checkNotable(row, successors),
      remedy: recordRemedy('notables', repo_id, row.id),
    }))
  },
  async idempotency_keys(db, { repo_id, clock }, rows) {
    // The record of an expired key may be purged already.
    const expired = later(clock(), -KEY_RETENTION_MS)
    const current = rows.filter((row) => row.created_at > expired)
    const ids = current.map((row) => row.record_id)
    const records = new Set([
      ...(await findExisting(db, 'activities', repo_id, ids)),
      ...(await findExisting(db, 'notables', repo_id, ids)),
    ])
    return current.map((row) => ({
      name: JSON.stringify(row.key),
      problems: [
        ...problemIf(!records.has(row.record_id), 'record_id', 'is not a record of this repository'),
        ...problemIf(row.answer !== null && !isJson(row.answer), 'answer', 'is not JSON'),
      ],
      remedy: 'a retry with this key may fail until the key expires, 24 hours after its first use',
    }))
  },
}

/** The name, the problems and a remedy of each row. */
export function checkRows<Name extends CheckedTable>(
  db: Db,
  where: Where & { table: Name },
  rows: RowsOf[Name][],
): Promise<CheckedRow[]> {
  return CHECKS[where.table](db, where, rows)
}

const StoredRepository = z.object({
  settings: FileSettings.nullable(),
  labeler_areas: Settings.shape.areas.nullable(),
  noise_attributes: z.array(AttributeRule).nullable(),
  settings_errors: z.array(SettingsProblem),
})

export function checkRepository(row: RepositoryRow): RowProblem[] {
  return problemsBy(StoredRepository, row)
}

/** The paths of a literal scope are file names. Any other scope must be valid in a request. */
function checkScope({
  scope,
  ...row
}: Pick<ActivityRow, 'scope'> & { scope_is_literal?: boolean }): RowProblem[] {
  const shape = problemsBy(ShownScope, scope, 'scope')
  return shape.length > 0 || row.scope_is_literal ? shape : problemsBy(Scope, scope, 'scope')
}

const StoredNotable = CreateNotable.pick({ decision_url: true, supersedes: true }).loose()

/** `successors`: which of the notables in `superseded_by` exist in the repository. */
function checkNotable(row: NotableRow, successors: Set<string>): RowProblem[] {
  const { superseded_by, area_keys } = row
  const keys = new Set(ShownScope.safeParse(row.scope).data?.areas.map(labelKey))
  return [
    ...problemsBy(StoredNotable, row),
    ...checkScope(row),
    ...problemIf(
      superseded_by !== null && !successors.has(superseded_by),
      'superseded_by',
      'is not a notable of this repository',
    ),
    ...problemIf(
      area_keys.length !== keys.size || area_keys.some((key) => !keys.has(key)),
      'area_keys',
      'do not match the areas of its scope',
    ),
  ]
}

/** How to fix a record. After a change by SQL, the claims index has to be repaired too. */
function recordRemedy(table: 'activities' | 'notables', repo_id: number, id: string): string {
  const condition = `repo_id = ${repo_id} and id = '${printableId(id)}'`
  return `fix it by hand, or run: delete from ${table} where ${condition}; then run: verify --repair`
}

function problemsBy(schema: z.ZodType, value: unknown, root?: string): RowProblem[] {
  const issues = schema.safeParse(value).error?.issues ?? []
  return issues.map(({ path, message }) => ({
    field: [...(root ? [root] : []), ...path].join('.'),
    problem: message,
  }))
}

function problemIf(condition: boolean, field: string, problem: string): RowProblem[] {
  return condition ? [{ field, problem }] : []
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
