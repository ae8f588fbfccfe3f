/** The changed files of the sides of a check, with their digests. */

import type { Budget } from '../../vocabulary/budget.ts'
import { inTurns, mapped, type Steps } from '../../vocabulary/event-loop.ts'
import type { DigestedFile, SideFile } from '../kinds/side.ts'
import { digestIfKnown } from '../lines/digest-bytes.ts'
import type { CheckContext, Sided, StoredFile } from './source.ts'

/** Cost units of decoding a digest, and each byte of it. */
const DECODE_COST = 300
const BYTE_COST = 1

/** The files of the activities that are checked, with all digests. */
export async function readOwnFiles(
  { source }: Pick<CheckContext, 'source'>,
  sides: readonly Sided[],
  budget: Budget,
): Promise<DigestedFile[]> {
  const stored = await source.allFiles(sides)
  const files: DigestedFile[] = []
  for (const { id, side } of sides)
    for (const file of await inTurns(withDigests(side.files, stored.get(id) ?? [], budget))) files.push(file)
  return files
}

/** Adds the stored digests to files. A file that is not stored any more, because its activity has changed or ended, gets none. */
export function withDigests(
  files: readonly SideFile[],
  stored: readonly StoredFile[],
  budget: Budget,
): Steps<DigestedFile[]> {
  const byKey = new Map(stored.map((each) => [keyOf(each), each]))
  return mapped(files, (file) => {
    const { changed_lines = null, digest = null } = byKey.get(keyOf(file)) ?? {}
    if (!(digest instanceof Uint8Array)) return { ...file, changed_lines, digest }
    budget.remaining -= DECODE_COST + BYTE_COST * digest.length
    return { ...file, changed_lines, digest: budget.remaining < 0 ? null : digestIfKnown(digest) }
  })
}

function keyOf({ origin, path }: Pick<SideFile, 'origin' | 'path'>): string {
  return `${origin} ${path}`
}
