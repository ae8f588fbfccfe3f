/** Proves the chosen pairs of each seed with the command, as a workflow does, and compares them with what is true. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runCommand } from '../../src/cli/prove/command-run.ts'
import { Scratch } from '../../src/cli/prove/scratch.ts'
import type { ProofChoice, ProofResult } from '../../src/vocabulary/contract/proof.ts'
import type { Branch, SeededClone } from './branches.ts'
import { FULL_NAME, openAll, TOKEN } from './front-door.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TIMEOUT_MS = 600_000

export interface MeasuredSeed {
  kind: string
  /** Why the pair was chosen; null if it was not. */
  reason: string | null
  result: ProofResult | null
  /** The pairs that were chosen, and how often the command was run for them. */
  pairs: number
  runs: number
  /** Pairs that were reported as failed although a side fails alone. */
  wrong: number
  /** Failed pairs of other seeds and of reverts. */
  others_failed: number
}

export interface Measured {
  seeds: MeasuredSeed[]
  /** Why a seed is none: it fails alone, or both pass together. */
  broken: string[]
  pull_requests: number
}

/** `report`: progress. */
export async function measure(
  seeded: SeededClone,
  command: readonly string[],
  report: (line: string) => void,
): Promise<Measured> {
  const truth = new Truth(seeded, command)
  const broken: string[] = []
  for (const { seed, one, other } of seeded.seeds) {
    const found = await truth.of(one, other)
    report(`${seed.kind}: ${found}`)
    if (found !== 'failed') broken.push(`${seed.kind}: ${found}`)
  }
  const service = await openAll(seeded)
  const cache = await mkdtemp(join(tmpdir(), 'deconflict-proofs-cache-'))
  try {
    const seeds: MeasuredSeed[] = []
    for (const { seed, one, other } of seeded.seeds) {
      const at = `/proofs?pull_request=${other.number}`
      const choice = (await service.get(TOKEN, at)) as ProofChoice
      const proved = await prove(seeded, { url: service.url, number: other.number, command, cache })
      const failed = proved.pairs.filter(({ result }) => result === 'failed')
      let wrong = 0
      for (const { heads } of failed)
        if (
          !(await truth.passes([])) ||
          !(await truth.passes([heads[0]])) ||
          !(await truth.passes([heads[1]]))
        )
          wrong += 1
      const own = proved.pairs.find(({ pull_requests }) => pull_requests[1] === one.number)
      seeds.push({
        kind: seed.kind,
        reason: choice.items.find(({ pull_requests }) => pull_requests[1] === one.number)?.reason ?? null,
        result: own?.result ?? null,
        pairs: proved.pairs.length,
        runs: proved.runs,
        wrong,
        others_failed: failed.filter((each) => each !== own).length,
      })
      report(JSON.stringify(seeds.at(-1)))
    }
    return { seeds, broken, pull_requests: seeded.reverts.length + 2 * seeded.seeds.length }
  } finally {
    await service.close()
    await rm(cache, { recursive: true, force: true })
  }
}

interface Proved {
  pairs: { pull_requests: [number, number]; heads: [string, string]; result: ProofResult | null }[]
  runs: number
}

/** Runs `deconflict prove` in the clone. */
async function prove(
  { clone }: SeededClone,
  { url, number, command, cache }: { url: string; number: number; command: readonly string[]; cache: string },
): Promise<Proved> {
  const args = ['--import', import.meta.resolve('tsx'), join(ROOT, 'src/cli.ts'), 'prove', '--json']
  const about = ['--repo', FULL_NAME, '--pull-request', `${number}`, '--pairs', '5', '--timeout', '10']
  const kept = ['--cache', join(cache, 'proved.json')]
  const env = { ...process.env, DECONFLICT_URL: url, GITHUB_TOKEN: TOKEN }
  const run = promisify(execFile)(process.execPath, [...args, ...about, ...kept, '--', ...command], {
    cwd: clone,
    env,
    maxBuffer: 2 ** 28,
  })
  const { stdout, stderr } = await run.catch((error: { code: unknown; stdout: string; stderr: string }) => {
    // 2: a pair fails together.
    if (error.code === 2) return error
    throw new Error(`deconflict prove failed: ${error.stderr}`)
  })
  const runs = stderr.match(/^deconflict: running on /gm)?.length ?? 0
  return { ...JSON.parse(stdout), runs }
}

/** What the command says about commits, each run once. */
class Truth {
  readonly #results = new Map<string, Promise<boolean | null>>()
  readonly #seeded: SeededClone
  readonly #command: readonly string[]

  constructor(seeded: SeededClone, command: readonly string[]) {
    this.#seeded = seeded
    this.#command = command
  }

  /** Null if git cannot merge them. */
  passes(heads: readonly string[]): Promise<boolean | null> {
    const key = heads.join(' ')
    const known = this.#results.get(key) ?? this.#run(heads)
    this.#results.set(key, known)
    return known
  }

  async of(one: Branch, other: Branch): Promise<ProofResult | 'conflict'> {
    if (!(await this.passes([]))) return 'base_failed'
    for (const { head } of [one, other]) if (!(await this.passes([head]))) return 'side_failed'
    const merged = await this.passes([one.head, other.head])
    return merged === null ? 'conflict' : merged ? 'passed' : 'failed'
  }

  #run(heads: readonly string[]): Promise<boolean | null> {
    const { clone, base } = this.#seeded
    const output = { write: () => true }
    const { env } = process
    return Scratch.use({ cwd: clone, env, remote: 'origin' }, (scratch) =>
      scratch.within({ base, heads }, (cwd) =>
        runCommand(this.#command, {
          cwd,
          env,
          output,
          stopped: new AbortController().signal,
          timeout_ms: TIMEOUT_MS,
        }),
      ),
    )
  }
}
