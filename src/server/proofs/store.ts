/** Queries for proofs. Every statement starts with the repository id. */
import { and, desc, eq, lte, ne, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { pull_requests } from '../pull-requests/table.ts'
import { type ProofRow, proofs } from './table.ts'

/** The maximum number of failed proofs of a repository that are read, the newest ones. */
const FAILED_MAX = 500
/** The maximum number of results of one pull request that are read. */
const DECIDED_MAX = 2_000

/** Stores the last result of a run. The same result again keeps the stored row. */
export async function saveProof(tx: Db, row: ProofRow): Promise<ProofRow> {
  const { result, log_url, reported_at } = row
  const isNew = or(ne(proofs.result, result), sql`${proofs.log_url} is distinct from ${log_url}::text`)
  const [saved] = await tx
    .insert(proofs)
    .values(row)
    .onConflictDoUpdate({
      target: [
        proofs.repo_id,
        proofs.first,
        proofs.second,
        proofs.first_head,
        proofs.second_head,
        proofs.command_hash,
        proofs.base,
      ],
      set: { result, log_url, reported_at },
      setWhere: isNew,
    })
    .returning()
  return saved ?? (await findProof(tx, row))
}

async function findProof(tx: Db, row: ProofRow): Promise<ProofRow> {
  const { repo_id, first, second, first_head, second_head, base, command_hash } = row
  const [stored] = await tx
    .select()
    .from(proofs)
    .where(
      and(
        eq(proofs.repo_id, repo_id),
        eq(proofs.first, first),
        eq(proofs.second, second),
        eq(proofs.first_head, first_head),
        eq(proofs.second_head, second_head),
        eq(proofs.command_hash, command_hash),
        eq(proofs.base, base),
      ),
    )
  return stored as ProofRow
}

/** A proof that failed with the present head commits of two open pull requests for one base branch. */
export type FailedProof = Pick<ProofRow, 'first' | 'second' | 'log_url' | 'reported_at'> & {
  first_branch: string
  second_branch: string
}

const readFailed = prepared('failed_proofs', (db) => {
  const [one, other] = [alias(pull_requests, 'one'), alias(pull_requests, 'other')]
  const later = alias(proofs, 'later')
  const isPassedLater = sql`exists (select 1 from proofs as later where ${and(
    eq(later.repo_id, proofs.repo_id),
    eq(later.first, proofs.first),
    eq(later.second, proofs.second),
    eq(later.first_head, proofs.first_head),
    eq(later.second_head, proofs.second_head),
    eq(later.command_hash, proofs.command_hash),
    sql`${later.result} = 'passed' and ${later.reported_at} > ${proofs.reported_at}`,
  )})`
  return db
    .select({
      first: proofs.first,
      second: proofs.second,
      log_url: proofs.log_url,
      reported_at: proofs.reported_at,
      first_branch: one.branch,
      second_branch: other.branch,
    })
    .from(proofs)
    .innerJoin(one, and(eq(one.repo_id, proofs.repo_id), eq(one.number, proofs.first)))
    .innerJoin(other, and(eq(other.repo_id, proofs.repo_id), eq(other.number, proofs.second)))
    .where(
      and(
        eq(proofs.repo_id, sql.placeholder('repo_id')),
        sql`${proofs.result} = 'failed' and ${one.is_open} and ${other.is_open}`,
        eq(one.head_sha, proofs.first_head),
        eq(other.head_sha, proofs.second_head),
        eq(one.base_branch, other.base_branch),
        sql`not ${isPassedLater}`,
      ),
    )
    .orderBy(desc(proofs.reported_at))
    .limit(FAILED_MAX)
})

/** The proofs that failed and are not stale, the newest of each pair. A later run of the same command that passes ends one. */
export async function listFailed(db: Db, repo_id: number): Promise<FailedProof[]> {
  const rows = await readFailed(db, { repo_id })
  return [...new Map(rows.toReversed().map((row) => [`${row.first} ${row.second}`, row])).values()]
}

/** The results of the pairs of a pull request that say something about the pair. */
export function listDecided(
  db: Db,
  repo_id: number,
  number: number,
): Promise<Pick<ProofRow, 'first' | 'second' | 'first_head' | 'second_head'>[]> {
  const { first, second, first_head, second_head } = proofs
  return db
    .selectDistinct({ first, second, first_head, second_head })
    .from(proofs)
    .where(
      and(
        eq(proofs.repo_id, repo_id),
        or(eq(first, number), eq(second, number)),
        ne(proofs.result, 'base_failed'),
      ),
    )
    .limit(DECIDED_MAX)
}

/** Deletes the proofs that were reported before `before`; with null, all of the repository. Returns how many. */
export async function deleteProofs(db: Db, repo_id: number, before: Date | null): Promise<number> {
  const deleted = await db
    .delete(proofs)
    .where(and(eq(proofs.repo_id, repo_id), before ? lte(proofs.reported_at, before) : undefined))
    .returning({ first: proofs.first })
  return deleted.length
}
