/** Bugs that the random histories of each promise have to find: a text of the bundled service, and what replaces it. */
export const BUGS: Record<string, Record<string, [from: string, to: string]>> = {
  'an acknowledged record is found by every check, and a key makes one record': {
    // And the refresh lasts longer than its reading, which makes the bug frequent.
    'a question shares a refresh that began before it': [
      'held.running = refresh(held.set).finally(',
      'held.next = held.running = refresh(held.set).then(() => new Promise((done) => setTimeout(done, 50))).finally(',
    ],
    'a live set is read once': ['if (set.version < stored.version) await', 'if (set.version < 0) await'],
    'what ended stays in the live set': ['set.replace(outline) : set.remove(id)', 'set.replace(outline) : 0'],
    'a key is not looked for': ['if (known) return { stored: known };', ''],
    'two requests with one key run at once': ['if (!await lockKey(tx.db, scoped))', 'if (false)'],
    'some of what was acknowledged is rolled back': [
      'client.unsafe("commit"));\n\t\tif (command !== "COMMIT")',
      'client.unsafe(process.uptime() > 10 && Math.random() < 0.05 ? "rollback" : "commit"));\n\t\tif (false)',
    ],
  },
  'exactly one activity holds an issue, and the others follow in their order': {
    'who comes last to an issue is first': ['position: version,', 'position: -version,'],
  },
  'a number is given once, and it is the next one': {
    'numbers are reserved without a lock': ['await lockDirectory(db, repo.id, directory);', ''],
    'a number is never repeated': ['const own = reserved.find(', 'const own = void reserved.find('],
    'numbers of others do not count': ['\t\t...inFiles,\n\t\t...held', '\t\t...inFiles'],
  },
  'a shared result is from before no change': {
    'an entity tag outlives a change': ['if (known.trim() === "*"', 'if (known.trim() !== ""'],
  },
  'nobody sees what GitHub hides': {
    'instances do not hear of changed permissions': [
      'received: (owner) => app.access.invalidate(owner)',
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
