/** Reads a recording of pull requests and pairs of them, and compares the pairs as the service does. */

import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { changeOf, type FileChange } from '../../src/engine/lines/change.ts'
import { closingIssues } from '../../src/engine/lines/closing-issues.ts'
import { duplicateOf, type Fingerprint, fingerprintOf } from '../../src/engine/lines/duplicate.ts'
import { KEY_BYTES, lineHasher } from '../../src/engine/lines/line-hash.ts'
import { DEFAULT_NOISE, type NoiseRules } from '../../src/engine/lines/noise.ts'
import { type FilePair, type FileVerdict, pairVerdict } from '../../src/engine/lines/pair-verdict.ts'
import type { Confidence, Duplicate, Verdict } from '../../src/vocabulary/verdict.ts'
import { atOnce } from '../../test/support/steps.ts'

/** An entry of GitHub's list of the files of a pull request. */
const Entry = z.object({
  filename: z.string(),
  previous_filename: z.string().optional(),
  status: z.string().optional(),
  sha: z.string().nullish(),
  additions: z.number().optional(),
  deletions: z.number().optional(),
  patch: z.string().optional(),
})

const PullRequest = z.object({
  n: z.number(),
  /** The commit that the patches apply to. */
  base: z.string(),
  files: z.array(Entry),
  title: z.string().optional(),
  body: z.string().nullish(),
  commits: z.array(z.string()).optional(),
})

const Truth = z.enum(['conflict', 'clean', 'unknown'])

const Pair = z.object({
  a: z.number(),
  b: z.number(),
  /** The name of the file on each side, and git's result if there is one. */
  files: z.array(z.object({ a: z.string(), b: z.string(), pair: Truth.optional() })),
})

const Recording = z.object({
  repo: z.string().default(''),
  /** An array, or an object whose values are the pull requests. */
  prs: z
    .preprocess(
      (value) => (typeof value === 'object' && value !== null ? Object.values(value) : value),
      z.array(PullRequest),
    )
    .transform((all) => new Map(all.map((each) => [each.n, each]))),
  pairs: z.array(Pair),
})
export type Recording = z.output<typeof Recording>

export interface ComparedPair {
  a: number
  b: number
  verdict: Verdict
  confidence: Confidence | null
  duplicate: Duplicate | null
  files: Pick<FileVerdict, 'path' | 'verdict' | 'confidence'>[]
}

/** Throws an Error that names the field. */
export async function readRecording(file: string): Promise<Recording> {
  const parsed = Recording.safeParse(JSON.parse(await readFile(file, 'utf8')))
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}

/** The work budget of one pair, as in a check of the service. */
export const PAIR_COST_MAX = 5_000_000

interface Side {
  base: string
  changes: Map<string, FileChange>
  work: Fingerprint
}

/** Compares the pairs in the order of the recording. Throws if a pair refers to a pull request or file that is not recorded. */
export function comparePairs(
  { repo, prs, pairs }: Recording,
  noise: NoiseRules = DEFAULT_NOISE,
): ComparedPair[] {
  const hash = lineHasher(new Uint8Array(KEY_BYTES))
  const sides = new Map<number, Side>()
  for (const { n, base, files, title, body, commits } of prs.values()) {
    const changes = files.flatMap((entry) => changeOf(entry, hash) ?? [])
    const texts = [title ?? '', body ?? '', ...(commits ?? [])]
    const closes = closingIssues(texts, [`https://github.com/${repo}`])
    const work = atOnce(fingerprintOf(changes, noise, new Set(closes)))
    sides.set(n, { base, changes: new Map(changes.map((change) => [change.path, change])), work })
  }
  const sideOf = (n: number) => found(sides.get(n), `pull request ${n}`)
  return pairs.map(({ a, b, files }) => {
    const [ours, theirs] = [sideOf(a), sideOf(b)]
    const shared: FilePair[] = files.map((file) => ({
      path: file.a,
      yours: found(ours.changes.get(file.a), `${file.a} of pull request ${a}`),
      theirs: found(theirs.changes.get(file.b), `${file.b} of pull request ${b}`),
    }))
    const { strongest, files: compared } = atOnce(
      pairVerdict(shared, {
        declared: { yours: false, theirs: false },
        one_base: ours.base === theirs.base,
        noise,
        budget: { remaining: PAIR_COST_MAX },
      }),
    )
    return {
      a,
      b,
      verdict: strongest?.verdict ?? 'far',
      confidence: strongest?.confidence ?? null,
      duplicate: duplicateOf(ours.work, theirs.work),
      files: compared.map(({ path, verdict, confidence }) => ({ path, verdict, confidence })),
    }
  })
}

function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`${what} is used by a pair but not recorded`)
  return value
}
