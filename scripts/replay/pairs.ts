/** Reads a recording of pull requests and pairs of them, and compares the pairs as the service does. */

import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { changeOf } from '../../src/engine/lines/change.ts'
import { KEY_BYTES, lineHasher } from '../../src/engine/lines/line-hash.ts'
import { closingIssues } from '../../src/engine/lines/markdown-prose.ts'
import { DEFAULT_NOISE, type NoiseRules } from '../../src/engine/lines/noise.ts'
import type { FileVerdict } from '../../src/engine/lines/pair-verdict.ts'
import type { Finding } from '../../src/vocabulary/finding-kinds.ts'
import type { Confidence, Verdict } from '../../src/vocabulary/verdict.ts'
import { compareHeads, duplicatesIn, type Head, headOf } from './heads.ts'

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
  duplicates: Finding[]
  files: Pick<FileVerdict, 'path' | 'verdict' | 'confidence'>[]
}

/** Throws an Error that names the field. */
export async function readRecording(file: string): Promise<Recording> {
  const parsed = Recording.safeParse(JSON.parse(await readFile(file, 'utf8')))
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}

/** It is not recorded, and does not matter for the comparison. */
const NO_AUTHOR = { login: null, actor: null, assignee: null, is_shared: false }

/** Compares the pairs in the order of the recording. Throws if a pair refers to a pull request or file that is not recorded. */
export function comparePairs(
  { repo, prs, pairs }: Recording,
  noise: NoiseRules = DEFAULT_NOISE,
): ComparedPair[] {
  const hash = lineHasher(new Uint8Array(KEY_BYTES))
  const sides = new Map<number, Head>()
  for (const { n, files, title, body, commits } of prs.values()) {
    const changes = files.flatMap((entry) => changeOf(entry, hash) ?? [])
    const texts = [title ?? '', body ?? '', ...(commits ?? [])]
    const closes = new Set(closingIssues(texts, [`https://github.com/${repo}`]))
    sides.set(n, headOf(changes, { author: NO_AUTHOR, issues: closes, closes }, noise))
  }
  const sideOf = (n: number) => found(sides.get(n), `pull request ${n}`)
  const fileOf = (n: number, name: string) => {
    const file = sideOf(n).files.find(({ path }) => path === name)
    return { ...found(file, `${name} of pull request ${n}`), base_sha: prs.get(n)?.base ?? null }
  }
  return pairs.map(({ a, b, files }) => {
    const shared = files.map((file) => ({
      path: file.a,
      yours: fileOf(a, file.a),
      theirs: fileOf(b, file.b),
    }))
    const compared = compareHeads(sideOf(a), sideOf(b), { noise, shared })
    return {
      a,
      b,
      verdict: compared.lines?.verdict ?? 'far',
      confidence: compared.lines?.confidence ?? null,
      duplicates: duplicatesIn(compared),
      files: compared.files.map(({ path, verdict, confidence }) => ({ path, verdict, confidence })),
    }
  })
}

function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`${what} is used by a pair but not recorded`)
  return value
}
