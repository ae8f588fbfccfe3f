/** Learns which directories hold numbered files from those that pull requests add (docs/contract/numbers.md#directories). */
import { isNamedForNumbers, numberOf } from '../../vocabulary/file-number.ts'
import type { Db } from '../db/database.ts'
import type { ChangedFile } from '../line-verdicts/change.ts'
import { isFull, learnNumber } from './learned-store.ts'

/** The maximum number of files of one pull request that are learned from. */
const FILES_MAX = 50

/** `files`: the changed files of a pull request. */
export async function learnNumbers(db: Db, repo_id: number, files: readonly ChangedFile[]): Promise<void> {
  const added = addedNumbers(files)
  if (added.length === 0 || (await isFull(db, repo_id))) return
  for (const each of added) await learnNumber(db, repo_id, each)
}

/** What can be learned from the files, the lowest number first. */
export function addedNumbers(files: readonly ChangedFile[]): { directory: string; number: number }[] {
  const added = files.flatMap(({ path, status, migration }) => {
    const number = status === 'added' && !migration ? numberOf(path) : null
    if (number === null || isNamedForNumbers(number.directory) || !/^\d+$/.test(number.value)) return []
    return [{ directory: number.directory, number: Number(number.value) }]
  })
  return added.toSorted((a, b) => a.number - b.number).slice(0, FILES_MAX)
}
