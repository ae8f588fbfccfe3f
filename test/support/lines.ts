/** Changes and digests for tests of verdicts. */
import type { FileChange } from '../../src/engine/lines/change.ts'
import { type Digest, digestOf } from '../../src/engine/lines/digest.ts'
import { KEY_BYTES, lineHasher } from '../../src/engine/lines/line-hash.ts'

export const hash = lineHasher(new Uint8Array(KEY_BYTES).fill(7))

export function digest(patch: string): Digest {
  return digestOf(patch, hash) as Digest
}

/** A modified text file, unless `given` says otherwise. */
export function change(of: Partial<FileChange> & { patch?: string } = {}): FileChange {
  const { patch, ...rest } = of
  return {
    path: 'src/a.ts',
    previous_path: null,
    status: 'modified',
    blob_sha: null,
    changed_lines: null,
    digest: patch === undefined ? null : digest(patch),
    ...rest,
  }
}

/** The patch of an edit of `base` at one place, with three lines of context. `at` is a line, from 1. */
export function editOf(
  base: readonly string[],
  at: number,
  removed: number,
  added: readonly string[],
): string {
  const first = Math.max(at - 3, 1)
  const before = base.slice(first - 1, at - 1)
  const gone = base.slice(at - 1, at - 1 + removed)
  const after = base.slice(at - 1 + removed, at + 2 + removed)
  const shown = before.length + gone.length + after.length
  return [
    `@@ -${first},${shown} +${first},${shown - removed + added.length} @@`,
    ...before.map((line) => ` ${line}`),
    ...gone.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...after.map((line) => ` ${line}`),
  ].join('\n')
}

/** The lines of `src/pay.ts` on the base branch. */
export const PAY_LINES = Array.from({ length: 120 }, (_, at) => `pay(${at})`)

/** GitHub's entry for a change of `src/pay.ts`, or of a file with the same lines: replaces three lines from `at` on. */
export function editOfPay(at: number, added: readonly string[], filename = 'src/pay.ts') {
  return { filename, status: 'modified', patch: editOf(PAY_LINES, at, 3, added) } as const
}
