/** Proves a sample of the pairs of a real history with a command: those that were chosen, and those drawn at random. */
import { createHash } from 'node:crypto'
import { runCommand } from '../../src/cli/prove/command-run.ts'
import { RunCache } from '../../src/cli/prove/run-cache.ts'
import { Scratch } from '../../src/cli/prove/scratch.ts'
import { type Passes, proveHeads, twice } from '../../src/cli/prove/verdict.ts'
import { randomOf, shuffled } from '../random.ts'
import { scratchOf } from '../replay/git.ts'
import { openMirror } from '../replay/mirror.ts'
import type { Candidate } from './candidates.ts'
import type { ProvedSample, SampleResult } from './sample-table.ts'

const GROUPS = ['chosen', 'random'] as const

export interface SampleOptions {
  /** How many pairs of each group are proved that git merges. */
  size: number
  seed: number
  /** The file in which results are kept, so that a stopped measurement can be continued. */
  cache: string
  command: readonly string[]
  /** How many pairs are proved at a time. */
  jobs: number
  /** How long one run of the command may take. */
  timeout_ms: number
  report: (line: string) => void
}

/** Does not modify the mirror. The groups take turns. The sample is the same for any number of jobs. */
export async function proveSample(
  directory: string,
  candidates: readonly Candidate[],
  { size, seed, cache, command, jobs, timeout_ms, report }: SampleOptions,
): Promise<ProvedSample[]> {
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  const { env } = process
  try {
    return await Scratch.use({ cwd: git.directory, env, remote: 'origin' }, async (scratch) => {
      const passesOn = passing(new RunCache(cache), command, (base, heads) =>
        scratch.within({ base, heads }, (cwd) => {
          const output = { write: () => true }
          const stopped = new AbortController().signal
          return runCommand(command, { cwd, env, output, stopped, timeout_ms })
        }),
      )
      const queues = GROUPS.map((group) => drawn(candidates, group, seed).values())
      const proved: ProvedSample[] = []
      const proveNextOf = async (queue: (typeof queues)[number]) => {
        for (const pair of queue) {
          const result: SampleResult = (await proveHeads(pair.heads, passesOn(pair.base))) ?? 'conflict'
          proved.push({ ...pair, result })
          report(JSON.stringify(proved.at(-1)))
          if (result !== 'conflict') break
        }
      }
      const turns = Array.from({ length: size }, () => queues)
        .flat()
        .values()
      const work = async () => {
        for (const queue of turns) await proveNextOf(queue)
      }
      await Promise.all(Array.from({ length: jobs }, work))
      return proved
    })
  } finally {
    await git.remove()
  }
}

/** The pairs of a group in a random order, each two pull requests once. */
export function drawn(
  candidates: readonly Candidate[],
  group: Candidate['group'],
  seed: number,
): Candidate[] {
  const mixed = shuffled(
    candidates.filter((each) => each.group === group),
    randomOf(seed),
  )
  const keyOf = ({ pull_requests }: Candidate) => pull_requests.toSorted((a, b) => a - b).join(' ')
  return [...new Map(mixed.map((pair) => [keyOf(pair), pair])).values()]
}

/** Runs the command once for each merge, and once more if it fails. */
function passing(
  cache: RunCache,
  command: readonly string[],
  run: (base: string, heads: readonly string[]) => Promise<boolean | null>,
): (base: string) => Passes {
  const command_hash = createHash('sha256').update(JSON.stringify(command)).digest('hex')
  return (base) => async (heads) => {
    const key = { command_hash, base, heads }
    const known = cache.find(key)
    if (known !== undefined) return known
    const passed = await twice(() => run(base, heads))
    if (passed !== null) cache.save(key, passed)
    return passed
  }
}
