/** Directories that are removed when the process exits, even if it is interrupted. */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TemporaryDirectory = Awaited<ReturnType<typeof temporaryDirectory>>

/** Those that are not removed yet. */
const left = new Set<string>()
process.once('exit', () => {
  for (const path of left) rmSync(path, { recursive: true, force: true })
})

export async function temporaryDirectory(name: string) {
  const path = await mkdtemp(join(tmpdir(), `deconflict-${name}-`))
  left.add(path)
  return {
    path,
    async remove() {
      left.delete(path)
      // The processes of a browser still write for a moment after it was killed.
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}
