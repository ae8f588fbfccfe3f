/** Bugs that the random histories of each promise have to find: a text of the bundled service, and what replaces it. */
export const BUGS: Record<string, Record<string, [from: string, to: string]>> = {
  'an acknowledged record is found by every check, and a key makes one record': {
    // And the refresh lasts longer than its reading, which makes the bug frequent.
    'a question shares a refresh that began before it': [
      'held.running = refresh(held.set).finally(',
      'held.next = held.running = refresh(held.set).then(() => new Promise((done) => setTimeout(done, 50))).finally(',
    ],
    'a live set is read once': ['if (set.version < stored.version) await', 'if (set.version < 0) await'],
    'a live set skips a version': ['set.version = stored.version;', 'set.version = stored.version + 1;'],
    'a live set begins after the next version': [
      'version: set.version,\n\t\tid: LAST_ID',
      'version: set.version + 1,\n\t\tid: LAST_ID',
    ],
    'a live set is up to date for a while': [
      'const stored = await findLiveSet(db, repo_id);',
      'if (Date.now() - (set.at ?? 0) < 300) return; set.at = Date.now(); const stored = await findLiveSet(db, repo_id);',
    ],
    'of several changes one is read': ['mapped(changes, ({ id', 'mapped(changes.slice(0, 1), ({ id'],
    'what ended stays in the live set': ['set.replace(outline) : set.remove(id)', 'set.replace(outline) : 0'],
    'a key is not looked for': ['if (known) return { stored: known };', ''],
    'two requests with one key run at once': ['if (!await lockKey(tx.db, scoped))', 'if (false)'],
    'some of what was acknowledged is rolled back': [
      'client.unsafe("commit"));\n\t\tif (command !== "COMMIT")',
      'client.unsafe(process.uptime() > 10 && Math.random() < 0.05 ? "rollback" : "commit"));\n\t\tif (false)',
    ],
  },
  'exactly one activity holds an issue, and the others follow in their order': {
    'the newest holds an issue': [
      'one.place.position - other.place.position',
      'other.place.position - one.place.position',
    ],
    'the highest id holds an issue': [
      'one.place.position - other.place.position',
      'one.worker.activity_id < other.worker.activity_id ? 1 : -1',
    ],
    'who comes last to an issue is first': ['position: version,', 'position: -version,'],
    'an issue shows one other': ['...others] = workers;', '...others] = workers.slice(0, 2);'],
  },
  'a number is given once, and it is the next one': {
    'numbers are reserved without a lock': ['await lockDirectory(db, repo.id, directory);', ''],
    'the highest number does not count': ['nextNumber([...taken.map(', 'nextNumber([...taken.slice(1).map('],
    'a number is never repeated': ['if (own && !holds(', 'if (false && !holds('],
    'numbers of others do not count': ['\t\t...inFiles,\n\t\t...held', '\t\t...inFiles'],
    'the number of another is given': [
      'activity_id === id);\n\tconst held',
      'activity_id !== id);\n\tconst held',
    ],
    'work that ended keeps its number': [
      'isLiveAt(repo_id, now), isNotNull(reserved_numbers)',
      'eq(activities.repo_id, repo_id), isNotNull(reserved_numbers)',
    ],
  },
  'a shared result is from before no change': {
    'a comparison outlives a change': [
      'comparisons.get(compared.version,',
      'comparisons.get(String(ctx.repo.id),',
    ],
    'an entity tag outlives a change': ['if (known.trim() === "*"', 'if (known.trim() !== ""'],
  },
  'nobody sees what GitHub hides': {
    'instances do not hear of changed permissions': [
      'received: (owner) => access.invalidate(owner)',
      'received: () => {}',
    ],
  },
  'a pull request has one comment, and no delivery is lost': {
    'the own comment is not looked for': [
      'pr.comment_id ?? await findOwnComment(client, repo, own)',
      'pr.comment_id',
    ],
    'some deliveries are acknowledged and not stored': [
      'const isNew = await enqueueOnce(',
      'const isNew = Math.random() > 0.3 && await enqueueOnce(',
    ],
  },
}
