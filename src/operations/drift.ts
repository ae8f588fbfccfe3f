/** Where the index of the overlap check is not what the records say: a missed overlap, or one that is none (docs/operations.md: the index). */
import { printableId } from '../base/id.ts'
import { type Claim, TRUNCATED } from '../claims/claim.ts'
import type { IndexedRecord, StoredClaim } from '../claims/store.ts'
import type { Db } from '../db/connect.ts'
import { Scope, ShownScope } from '../scope/scope.ts'
import {
  COUNTED,
  claimingOf,
  correctTally,
  type LiveRecord,
  listClaimants,
  listIndexed,
  mendClaims,
  readTally,
} from './drift-store.ts'

/** Records whose claims are held at a time: one may have some thousands. */
const RECORDS = 20
const CLAIMANTS = 500

export interface Drift {
  /** A table, and the row or rows of it. */
  where: string
  problem: string
  mend(): Promise<void>
}

/** Each difference as it was at one instant, so that what changes meanwhile is none. `mend` may be called before the next is taken. */
export async function* driftOf(db: Db, repo_id: number): AsyncGenerator<Drift> {
  yield* wrongClaims(db, repo_id)
  yield* strayClaims(db, repo_id)
  yield* wrongTallies(db, repo_id)
}

async function* wrongClaims(db: Db, repo_id: number): AsyncGenerator<Drift> {
  for (const counted of COUNTED)
    for (let after = ''; ; ) {
      const { records, claims } = await listIndexed(db, repo_id, counted, { after, limit: RECORDS })
      for (const record of records.filter(hasScope)) {
        const { id } = record.row
        const stored = claims.filter(({ record_id }) => record_id === id)
        const claiming = await claimingOf(record)
        const claimed = isComparedWhole(record, stored) ? stored : claiming.claims
        const problem = differenceOf({ ...claiming, claims: claimed }, stored)
        if (problem)
          yield { where: `claims of ${printableId(id)}`, problem, mend: () => mendClaims(db, repo_id, id) }
      }
      if (records.length < RECORDS) break
      after = records.at(-1)?.row.id ?? after
    }
}

/** Of a scope that is none, nothing can be claimed; that is a flaw of the record itself. */
function hasScope({ counted, row }: LiveRecord): boolean {
  const isLiteral = counted === 'act' && row.scope_is_literal
  return (isLiteral ? ShownScope : Scope).safeParse(row.scope).success
}

/** In words, and null where there is none. */
function differenceOf(claiming: IndexedRecord, stored: StoredClaim[]): string | null {
  const own = new Set(claiming.claims.map(textOf))
  const there = new Set(stored.map(textOf))
  const missing = [...own].filter((each) => !there.has(each)).length
  const foreign = [...there].filter((each) => !own.has(each)).length
  const misweighed = stored.filter(({ weight }) => weight !== claiming.weight).length
  const problems = [
    missing > 0 && `${missing} of ${own.size} are missing, so that checks may miss it`,
    foreign > 0 && `${foreign} are not its own`,
    misweighed > 0 && `${misweighed} have another weight than ${claiming.weight}`,
  ].filter(Boolean)
  return problems.length === 0 ? null : problems.join('; ')
}

/** It has the one claim that the migration gave to what was live before and has a scope: one on everything, which misses nothing. */
function isComparedWhole({ row }: LiveRecord, stored: StoredClaim[]): boolean {
  const [only] = stored
  const { areas, paths } = row.scope
  return (
    stored.length === 1 && only?.kind === TRUNCATED && only.place === '/' && areas.length + paths.length > 0
  )
}

function textOf({ place, kind, glob }: Claim): string {
  return JSON.stringify([place, kind, glob])
}

async function* strayClaims(db: Db, repo_id: number): AsyncGenerator<Drift> {
  for (let after = ''; ; ) {
    const claimants = await listClaimants(db, repo_id, { after, limit: CLAIMANTS })
    for (const { id, is_live } of claimants)
      if (!is_live)
        yield {
          where: `claims of ${printableId(id)}`,
          problem: 'are there, but no live record with this id',
          mend: () => mendClaims(db, repo_id, id),
        }
    if (claimants.length < CLAIMANTS) return
    after = claimants.at(-1)?.id ?? after
  }
}

const NOUNS = { act: 'live activities', ntb: 'active notables' }

async function* wrongTallies(db: Db, repo_id: number): AsyncGenerator<Drift> {
  for (const counted of COUNTED) {
    const { stored, tallied } = await readTally(db, repo_id, counted)
    if (stored !== tallied)
      yield {
        where: `tallies of ${NOUNS[counted]}`,
        problem: `say ${tallied} where ${stored} are stored`,
        mend: () => db.transaction((tx) => correctTally(tx, repo_id, counted)),
      }
  }
}
