/** Queries for claims, and for tallies: the numbers of live records. Every statement starts with the repository id. */
import { and, asc, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Weight } from '../../vocabulary/weight.ts'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { lockName } from '../db/statements.ts'
import { type Claim, FILE, prefixEnd } from './claim.ts'
import { type Counted, claims, tallies } from './table.ts'

/** The number of shards of a tally. Connections write to different shards, so that they rarely wait for each other. */
const SHARDS = 64

/** More claims than any record has. The limit makes the planner read the rows in index order. */
const CLAIMS_MAX = 1_000_000

export interface IndexedRecord {
  repo_id: number
  id: string
  weight: Weight
  claims: Claim[]
}

/** SQL that inserts the claims of a record. `claims` is JSON text. */
function insertClaims(values: Record<'repo_id' | 'id' | 'weight' | 'claims', unknown>): SQL {
  return sql`insert into claims (repo_id, place, kind, glob, record_id, weight)
    select ${values.repo_id}::bigint, place, kind, glob, ${values.id}::text, ${values.weight}::smallint
    from json_to_recordset(${values.claims}::text::json) as claim(place text, kind smallint, glob text)`
}

/** `insertClaims` as a part of a prepared statement with the parameters `repo_id`, `id`, `weight` and `claims`. */
export function insertClaimsFromParameters(): SQL {
  const { placeholder } = sql
  return insertClaims({
    repo_id: placeholder('repo_id'),
    id: placeholder('id'),
    weight: placeholder('weight'),
    claims: placeholder('claims'),
  })
}

/** SQL that adds `by` to the number of live records. */
export function adjustLiveCount(repo_id: unknown, counted: Counted, by: number): SQL {
  return sql`insert into tallies (repo_id, counted, shard, count)
    values (${repo_id}::bigint, ${sql.raw(`'${counted}'`)}, pg_backend_pid() % ${sql.raw(String(SHARDS))}, ${sql.raw(String(by))})
    on conflict (repo_id, counted, shard) do update set count = tallies.count + excluded.count`
}

export async function replaceClaims(tx: Db, record: IndexedRecord): Promise<void> {
  await deleteClaims(tx, record.repo_id, [record.id])
  await tx.execute(insertClaims({ ...record, claims: JSON.stringify(record.claims) }))
}

/** Removes records that are no longer live from the index: deletes their claims and reduces the live count. */
export async function unindexRecords(
  tx: Db,
  repo_id: number,
  counted: Counted,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return
  await deleteClaims(tx, repo_id, ids)
  await tx.execute(adjustLiveCount(repo_id, counted, -ids.length))
}

/** Deletes the claims of the records `ids` without changing the live count. */
export async function deleteClaims(tx: Db, repo_id: number, ids: string[]): Promise<void> {
  await tx.delete(claims).where(and(eq(claims.repo_id, repo_id), inArray(claims.record_id, ids)))
}

export type StoredClaim = Claim & { record_id: string; weight: Weight }

const readClaims = prepared('claims_of_records', (db) => {
  const found = db
    .select()
    .from(claims)
    .where(and(eq(claims.repo_id, sql.placeholder('repo_id')), sql`${claims.record_id} = wanted.wanted_id`))
    .orderBy(asc(claims.repo_id), asc(claims.record_id))
    .limit(CLAIMS_MAX)
    .as('found')
  const { place, kind, glob, record_id, weight } = found
  return db
    .select({ place, kind, glob, record_id, weight })
    .from(sql`json_array_elements_text(${sql.placeholder('ids')}::text::json) as wanted(wanted_id)`)
    .crossJoinLateral(found)
})

/** The claims of the records `ids`, in any order. */
export function listClaims(db: Db, repo_id: number, ids: string[]): Promise<StoredClaim[]> {
  return readClaims(db, { repo_id, ids: JSON.stringify(ids) })
}

const readTally = prepared('tally', (db) =>
  db
    .select({ count: sql<number>`coalesce(sum(${tallies.count}), 0)::int` })
    .from(tallies)
    .where(
      and(
        eq(tallies.repo_id, sql.placeholder('repo_id')),
        eq(tallies.counted, sql`${sql.placeholder('counted')}::text`),
      ),
    ),
)

/** The number of records that are stored as live. */
export async function countLive(db: Db, repo_id: number, counted: Counted): Promise<number> {
  const [row] = await readTally(db, { repo_id, counted })
  return row?.count ?? 0
}

/** Serializes inserts near the limit of live records, until the transaction `tx` ends. */
export async function lockLiveCount(tx: Db, repo_id: number, counted: Counted): Promise<void> {
  await lockName(tx, ['live', repo_id, counted])
}

/** `countLive` as an expression in another query. */
export function liveCountOf(repo_id: unknown, counted: Counted): SQL<number> {
  return sql<number>`(select coalesce(sum(${tallies.count}), 0)::int from ${tallies} where ${tallies.repo_id} = ${repo_id}::bigint and ${tallies.counted} = ${sql.raw(`'${counted}'`)})`
}

/** A changed or declared file of a live record. */
export interface FileClaim {
  record_id: string
  /** Its prefix; see `prefixOf`. */
  place: string
}

const readFilesBeneath = prepared('file_claims_beneath', (db) =>
  db
    .select({ record_id: claims.record_id, place: claims.place })
    .from(sql`json_to_recordset(${sql.placeholder('ranges')}::text::json) as wanted(low text, high text)`)
    .crossJoin(claims)
    .where(
      and(
        eq(claims.repo_id, sql.placeholder('repo_id')),
        sql`${claims.place} >= wanted.low collate "C" and ${claims.place} < wanted.high collate "C"`,
        eq(claims.kind, FILE),
      ),
    )
    .orderBy(desc(claims.record_id))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` files at or beneath these prefixes, those of the newest records first. */
export function listFilesBeneath(
  db: Db,
  repo_id: number,
  { prefixes, limit }: { prefixes: readonly string[]; limit: number },
): Promise<FileClaim[]> {
  const ranges = prefixes.map((low) => ({ low, high: prefixEnd(low) }))
  return readFilesBeneath(db, { repo_id, ranges: JSON.stringify(ranges), limit })
}
