/** The results of `deconflict prove`: as JSON, as text, and as reports to the service. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { DeconflictError } from '../../client/client.ts'
import { PAIRS_CHOSEN_MAX, type ProofChoice, ReportProof } from '../../vocabulary/contract/proof.ts'
import { sanitize } from '../../vocabulary/others-text.ts'
import type { CommandContext } from '../command-context.ts'
import { CliError } from '../runtime.ts'

const ProvedPair = z.object({
  ...ReportProof.shape,
  /** Null if the pair was not decided; `note` then says why. */
  result: ReportProof.shape.result.nullable(),
  note: z.string().nullable(),
})
export type ProvedPair = z.output<typeof ProvedPair>

const Proved = z.object({
  pull_request: z.int(),
  base_branch: z.string(),
  pairs: z.array(ProvedPair).max(PAIRS_CHOSEN_MAX),
})
export type Proved = z.output<typeof Proved>

/** Reads what an earlier run printed with `--json`. Throws `CliError`. */
export function readResults(file: string): Proved {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    return Proved.parse(JSON.parse(text))
  } catch {
    throw new CliError(`${file} is not what deconflict prove --json prints`)
  }
}

/** The pairs with which the pull request of commit `head` was proved. Throws `CliError` if there is another one. */
export function requireHead({ pairs }: Proved, head: string): void {
  const other = pairs.find(({ heads }) => heads[0] !== head.toLowerCase())
  if (other)
    throw new CliError(
      `the results are about commit ${other.heads[0]}, not ${sanitize(head)}; nothing was reported`,
    )
}

/** Leaves undecided what the service does not choose for these heads, and replaces the log of each pair. */
export async function onlyChosen(
  { client, at }: CommandContext,
  { pull_request, ...proved }: Proved,
  log_url: string | null,
): Promise<Proved> {
  const input = { pull_request }
  const { items } = await client.choosePairs({ ...at, input }).catch(noneIfRefused)
  const chosen = new Set(items.map(nameOf))
  const pairs = proved.pairs.map((pair) => {
    const note = 'not reported: the service does not choose this pair'
    return chosen.has(nameOf(pair)) ? { ...pair, log_url } : { ...pair, log_url, result: null, note }
  })
  return { ...proved, pull_request, pairs }
}

function nameOf({ pull_requests, heads }: Pick<ProvedPair, 'pull_requests' | 'heads'>): string {
  return [...pull_requests, ...heads].join(' ')
}

/** The pull request was closed meanwhile, or never was one. */
function noneIfRefused(error: unknown): Pick<ProofChoice, 'items'> {
  if (error instanceof DeconflictError && error.type === 'validation_error') return { items: [] }
  throw error
}

/** Reports each decided pair. One that the service refuses, because a side was pushed meanwhile, gets a note. */
export async function reportAll({ client, at }: CommandContext, proved: Proved): Promise<Proved> {
  const pairs: ProvedPair[] = []
  for (const pair of proved.pairs) {
    const { result, note: _, ...fields } = pair
    if (result !== null) pairs.push({ ...pair, note: await report({ ...fields, result }) })
    else pairs.push(pair)
  }
  return { ...proved, pairs }

  async function report(input: ReportProof): Promise<string | null> {
    try {
      await client.reportProof({ ...at, input })
      return null
    } catch (error) {
      if (!(error instanceof DeconflictError) || error.type !== 'validation_error') throw error
      return `not reported: ${error.message}`
    }
  }
}

export function resultLines({ pull_request, pairs }: Proved): string[] {
  if (pairs.length === 0) return [`No pairs to prove for #${pull_request}.`]
  return pairs.map((pair) => {
    const note = pair.note === null ? '' : ` (${sanitize(pair.note)})`
    return `${sentenceOf(pair)}${note}`
  })
}

function sentenceOf({ pull_requests: [one, other], result }: ProvedPair): string {
  const both = `#${one} and #${other}`
  switch (result) {
    case 'passed':
      return `${both} pass together`
    case 'failed':
      return `${both} fail together, and each passes alone`
    case 'base_failed':
      return `${both}: the base branch fails alone, so nothing is known`
    case 'side_failed':
      return `${both}: one of them fails alone, so nothing is known`
    case null:
      return `${both}: not decided`
  }
}
