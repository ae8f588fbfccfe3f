/** A system clock that jumps, for one process, where libfaketime is installed. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from './temporary-directory.ts'

/** Debian's package `libfaketime`. */
const LIBRARIES = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime`

/** Undefined if the library is not installed. */
export async function shiftedClock() {
  const library = join(LIBRARIES, 'libfaketimeMT.so.1')
  if (!existsSync(library)) return undefined
  const directory = await temporaryDirectory('clock')
  const file = join(directory.path, 'offset')
  /** The clock is `seconds` ahead of that of the system from now on. */
  const shift = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  await shift(0)
  return {
    /** For a process whose clock it is. */
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    shift,
    remove: directory.remove,
  }
}
