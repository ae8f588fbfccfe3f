/** Makes the database reject statements, as for a damaged row or page. */
import { sql } from 'drizzle-orm'
import type { Db } from '../../src/server/platform/db/database.ts'

/** Runs `work` while statements fail that fire `trigger`, such as `before update on activities for each row when (…)`, and satisfy `condition`. */
export async function whileBroken<Result>(
  db: Db,
  { trigger, condition = 'true' }: { trigger: string; condition?: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const body = `begin
    if ${condition} then raise exception 'broken' using errcode = 'XX001'; end if;
    return coalesce(new, old);
  end`
  const [, table] = / on (\w+)/.exec(trigger) ?? []
  await db.execute(sql.raw(`create function broken() returns trigger language plpgsql as $$ ${body} $$`))
  await db.execute(sql.raw(`create trigger broken ${trigger} execute function broken()`))
  try {
    return await work()
  } finally {
    await db.execute(sql.raw(`drop trigger broken on ${table}`))
    await db.execute(sql.raw('drop function broken()'))
  }
}
