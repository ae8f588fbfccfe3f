/** Bugs that random histories have to find: each is a text of the build that is replaced. */
import type { Bug } from '../support/next-version.ts'

const [STORE, SETS, SOURCE] = [
  'server/records/activities/issue-store.js',
  'server/records/live-sets/live-sets.js',
  'server/compare/database-source.js',
]
const [OUTLINES, NUMBERS, NEXT, KEYS] = [
  'server/records/activities/outline-store.js',
  'server/records/reservations/reserve.js',
  'engine/check/next-number.js',
  'server/operations/idempotency.js',
]

export const BUGS: Record<string, Bug> = {
  'a question shares a refresh that began before it': {
    file: SETS,
    from: 'held.next ??= held.running.then(start, start);\n            await held.next;',
    to: 'await held.running;',
  },
  'a live set is read once': {
    file: SOURCE,
    from: 'else if (set.version < stored.version)',
    to: 'else if (false)',
  },
  'a live set skips a version': {
    file: SOURCE,
    from: 'set.version = stored.version;',
    to: 'set.version = stored.version + 1;',
  },
  'a live set begins after the next version': {
    file: SOURCE,
    from: '{ version: set.version, id: LAST_ID }',
    to: '{ version: set.version + 1, id: LAST_ID }',
  },
  'what ended stays in the live set': {
    file: OUTLINES,
    from: 'if (!isLiveStatus(status))',
    to: 'if (status === "expired")',
  },
  'only changes of live records are read': {
    file: OUTLINES,
    from: "sql.placeholder('repo_id')), sql `(",
    to: "sql.placeholder('repo_id')), isStoredLive, sql `(",
  },
  'a key is not looked for': { file: KEYS, from: 'if (stored)', to: 'if (false)' },
  'two requests with one key run at once': {
    file: KEYS,
    from: 'if (!(await lockKey(tx.db, scoped)))',
    to: 'if (false)',
  },
  'the newest holds an issue': {
    file: STORE,
    from: 'asc(issue_claims.position)',
    to: 'sql `position desc`',
  },
  'work that ended holds its issue': { file: STORE, from: 'isLiveAt(repo_id, now)', to: 'sql `true`' },
  'places on an issue follow the ids of their activities': {
    file: STORE,
    from: 'asc(issue_claims.position)',
    to: 'sql `activity_id desc`',
  },
  'who comes last to an issue is first': {
    file: STORE,
    from: 'coalesce(max(position), 0) + 1',
    to: 'coalesce(min(position), 2) - 1',
  },
  'a live set is up to date for a while': {
    file: SOURCE,
    from: 'const stored = await findLiveSet(db, repo_id);',
    to: 'if (Date.now() - (set.at ?? 0) < 300) return; set.at = Date.now(); const stored = await findLiveSet(db, repo_id);',
  },
  'of several changes one is read': { file: SOURCE, from: 'of changes)', to: 'of changes.slice(0, 1))' },
  'a commit is not flushed': {
    file: 'server/platform/db/planning.js',
    from: "jit: 'off'",
    to: "jit: 'off', synchronous_commit: 'off'",
  },
  'numbers are reserved without a lock': {
    file: NUMBERS,
    from: 'await store.lockDirectory(db, repo.id, directory);',
    to: '',
  },
  'a number is never repeated': { file: NEXT, from: 'if (isFree)', to: 'if (false)' },
  'numbers of others do not count': { file: NEXT, from: '...inFiles, ...held]', to: '...inFiles]' },
  'the number of another is given': { file: NEXT, from: 'activity_id === id', to: 'activity_id !== id' },
  'work that ended keeps its number': {
    file: 'server/records/reservations/store.js',
    from: 'isLiveAt(repo_id, now)',
    to: 'sql `true`',
  },
}
