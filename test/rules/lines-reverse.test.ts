/** The reverse of a digest equals the digest of the reverse patch, up to the trimmed hashes that it cannot have. */
import { expect, test } from 'vitest'
import { type Digest, digestOf } from '../../src/server/line-verdicts/digest.ts'
import { KEY_BYTES, lineHasher } from '../../src/server/line-verdicts/line-hash.ts'
import { reversed } from '../../src/server/line-verdicts/reverse.ts'

const hash = lineHasher(new Uint8Array(KEY_BYTES).fill(7))
const digest = (patch: string) => digestOf(patch, hash) as Digest

/** The patch that takes a patch back, with removed lines before added ones, as git writes them. */
function reversePatch(patch: string): string {
  const rows: string[] = []
  let run: { removed: string[]; added: string[] } = { removed: [], added: [] }
  const flush = () => {
    rows.push(...run.removed, ...run.added)
    run = { removed: [], added: [] }
  }
  for (const row of patch.trimEnd().split('\n')) {
    const header = /^@@ -(\S+) \+(\S+) @@/.exec(row)
    if (row.startsWith('+')) run.removed.push(`-${row.slice(1)}`)
    else if (row.startsWith('-')) run.added.push(`+${row.slice(1)}`)
    else {
      flush()
      rows.push(header ? `@@ -${header[2]} +${header[1]} @@` : row)
    }
  }
  flush()
  return `${rows.join('\n')}\n`
}

test.each([
  ['a replaced line', '@@ -1,3 +1,3 @@\n a first line\n-the old line\n+the new line\n a last line\n'],
  ['an added file', '@@ -0,0 +1,2 @@\n+one line of it\n+and another line\n'],
  ['a removed file', '@@ -1,2 +0,0 @@\n-one line of it\n-and another line\n'],
  [
    'blocks that change the line numbers of later hunks',
    '@@ -1,4 +1,6 @@\n a first line\n+one more line\n+and a second one\n the next line\n-a line that goes\n+a line that comes\n the end of it\n@@ -40,3 +42,2 @@\n far below here\n-taken out there\n after all this\n',
  ],
])('the reverse of %s is the digest of the reversed patch', (_, patch) => {
  const back = reversed(digest(patch))
  expect(back).toEqual({ ...digest(reversePatch(patch)), trimmed: new Uint32Array() })
  expect(reversed(back)).toEqual({ ...digest(patch), trimmed: new Uint32Array() })
})
