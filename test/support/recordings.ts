/** The folder of recorded pull requests. They contain data of other repositories, so they are not part of this project. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `DECONFLICT_PAIRS`, else `shared/pairs` beside the checkout; undefined where there is none. */
export function recordingsFolder(): string | undefined {
  const beside = ['../../../shared/pairs', '../../../../shared/pairs'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const given = process.env.DECONFLICT_PAIRS
  return (given ? [given] : beside).find((folder) => existsSync(join(folder, 'numpy.json')))
}
