/** The results of runs that other runs need again: of the base, and of each side alone. A file in the git directory. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The number of results that are kept, the newest ones. */
const RESULTS_MAX = 500

/** What was run: the command, and the commits that were merged into the base commit. */
export interface RunKey {
  command_hash: string
  base: string
  heads: readonly string[]
}

export class RunCache {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  find(key: RunKey): boolean | undefined {
    return this.#read().get(nameOf(key))
  }

  /** Adds a result. Another process may lose its own at the same moment, and then runs again. */
  save(key: RunKey, passed: boolean): void {
    const results = this.#read()
    results.delete(nameOf(key))
    results.set(nameOf(key), passed)
    const kept = [...results].slice(-RESULTS_MAX)
    mkdirSync(dirname(this.#file), { recursive: true })
    const written = `${this.#file}.${process.pid}`
    writeFileSync(written, `${JSON.stringify(Object.fromEntries(kept), null, 1)}\n`)
    renameSync(written, this.#file)
  }

  /** Empty if the file is missing or was damaged. */
  #read(): Map<string, boolean> {
    try {
      const entries = Object.entries(JSON.parse(readFileSync(this.#file, 'utf8')))
      return new Map(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'))
    } catch {
      return new Map()
    }
  }
}

function nameOf({ command_hash, base, heads }: RunKey): string {
  return [command_hash, base, ...heads].join(' ')
}
