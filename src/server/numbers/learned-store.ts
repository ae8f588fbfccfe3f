/** Queries of learned directories. Every statement starts with the repository id. */
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { learned_directories } from './table.ts'

/** How many files show that a directory is numbered (docs/contract/numbers.md#directories). */
export const FILES_MIN = 3
const LISTED_MAX = 1_000
/** A repository keeps at most so many directories: pull requests of strangers teach too. */
const KEPT_MAX = 10_000

/** Whether no further directory is learned. */
export async function isFull(db: Db, repo_id: number): Promise<boolean> {
  const last = await db
    .select({ directory: learned_directories.directory })
    .from(learned_directories)
    .where(eq(learned_directories.repo_id, repo_id))
    .offset(KEPT_MAX - 1)
    .limit(1)
  return last.length > 0
}

/** Records that a file with this number was added, if the number is above all before. */
export async function learnNumber(
  tx: Db,
  repo_id: number,
  { directory, number }: { directory: string; number: number },
): Promise<void> {
  const { files, last, learned_at } = learned_directories
  await tx
    .insert(learned_directories)
    .values({ repo_id, directory, files: 1, last: number })
    .onConflictDoUpdate({
      target: [learned_directories.repo_id, learned_directories.directory],
      set: {
        files: sql`${files} + 1`,
        last: sql`excluded.last`,
        learned_at: sql`case when ${files} + 1 = ${FILES_MIN} then excluded.last else ${learned_at} end`,
      },
      setWhere: sql`${last} < excluded.last`,
    })
}

/** By directory, the number above which its files are numbered. `directories`: all if it is missing; at most 1,000. */
export async function listLearned(
  db: Db,
  repo_id: number,
  directories?: readonly string[],
): Promise<Map<string, number>> {
  if (directories?.length === 0) return new Map()
  const { directory, learned_at } = learned_directories
  const wanted = directories && JSON.stringify(directories.slice(0, LISTED_MAX))
  const rows = await db
    .select({ directory, learned_at })
    .from(learned_directories)
    .where(
      and(
        eq(learned_directories.repo_id, repo_id),
        isNotNull(learned_at),
        wanted === undefined
          ? undefined
          : sql`${directory} = any(array(select json_array_elements_text(${wanted}::text::json)))`,
      ),
    )
    .orderBy(asc(directory))
    .limit(LISTED_MAX)
  return new Map(rows.map((row) => [row.directory, row.learned_at as number]))
}

export async function deleteLearned(tx: Db, repo_id: number): Promise<void> {
  await tx.delete(learned_directories).where(eq(learned_directories.repo_id, repo_id))
}
