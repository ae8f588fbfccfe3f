/** Schemas of proofs: what a run of the team's own command says about two pull requests together (docs/contract/proofs.md). */
import { z } from 'zod'
import { httpsUrl, object, outputTimestamp, textOrNull } from './field.ts'
import { objectName } from './scope-changes.ts'

/** `failed`: the base and both sides pass alone, and their merge does not. */
export const PROOF_RESULTS = ['passed', 'failed', 'base_failed', 'side_failed'] as const
export type ProofResult = (typeof PROOF_RESULTS)[number]

/** The maximum number of a pull request: that of an integer column. */
const NUMBER_MAX = 2_147_483_647
const pullRequest = z.int().min(1).max(NUMBER_MAX)

/** What a match says about a proof that failed. */
export const failedProof = {
  proof: z
    .literal('failed')
    .nullable()
    .describe(
      '`failed`: a run of the team’s own command passes on the base and on both pull requests, and fails on their merge. Null if no such run is known for their present head commits.',
    ),
  proof_log_url: textOrNull('The log of that run; null if there is none.'),
}

const fields = {
  pull_requests: z
    .tuple([pullRequest, pullRequest])
    .refine(([one, other]) => one !== other, { error: 'must be two different pull requests' })
    .meta({ description: 'The numbers of the two pull requests.', examples: [[12, 15]] }),
  heads: z
    .tuple([objectName, objectName])
    .describe('The head commits that were merged, in the order of `pull_requests`.'),
  base: objectName.meta({
    description: 'The commit of the base branch that they were merged into.',
    examples: ['7c3f1a9e5b2d4806f1e2d3c4b5a697887a6b5c4d'],
  }),
  command_hash: z
    .string()
    .regex(/^[\w.:+/=-]{1,128}$/, {
      error: 'must be a hash of the command: 1 to 128 letters, digits or any of . : + / = _ -',
    })
    .meta({
      description: 'A hash of the command that was run. Results of different commands are kept apart.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  result: z
    .enum(PROOF_RESULTS)
    .describe(
      '`passed`: the command passes on the merge of both. `failed`: it passes on the base and on each side, and fails on the merge. `base_failed`, `side_failed`: it fails on the base, or on one side alone, which says nothing about the pair.',
    ),
}

export const ReportProof = object('ReportProof', {
  ...fields,
  log_url: httpsUrl
    .nullable()
    .default(null)
    .meta({
      description: 'The log of the run.',
      examples: ['https://github.com/acme/shop/actions/runs/17'],
    }),
})
export type ReportProof = z.output<typeof ReportProof>

export const Proof = object('Proof', {
  ...fields,
  log_url: textOrNull('The log of the run; null if there is none.'),
  reported_at: outputTimestamp.describe('When this result was first reported.'),
})
export type Proof = z.output<typeof Proof>

/** Why a pair is worth a run, the best reason first. */
export const PAIR_REASONS = [
  'import_removed',
  'symbol_removed',
  'signature_changed',
  'touching',
  'near',
  'path_removed',
  'definition_changed',
  'changed_together',
] as const
export type PairReason = (typeof PAIR_REASONS)[number]

/** The maximum number of pairs that are chosen for a pull request. */
export const PAIRS_CHOSEN_MAX = 5
/** The maximum number of paths in each pair. */
export const REASON_PATHS_MAX = 3

export const ChoosePairs = z.strictObject({
  pull_request: z
    .string()
    .regex(/^\d{1,10}$/, { error: 'must be the number of a pull request' })
    .transform(Number)
    .pipe(pullRequest)
    .meta({
      override: { type: 'integer', minimum: 1, maximum: NUMBER_MAX },
      description: 'The number of the pull request.',
    }),
})
export type ChoosePairs = z.output<typeof ChoosePairs>

const ChosenPair = object('ChosenPair', {
  pull_requests: fields.pull_requests.describe('The pull request of the request, and the other one.'),
  heads: fields.heads,
  reason: z
    .enum(PAIR_REASONS)
    .describe(
      '`import_removed`: one removes an import from a file in which the other uses its name anew. `symbol_removed`: one removes the definition of a name that the other uses anew. `signature_changed`: one changes the parameters or the result of a function so that a call that the other adds fits no more. `touching`, `near`: their lines lie 1 to 3, or 4 to 30 unchanged lines apart. `path_removed`: one removes or renames a file that the other changes, or a directory to which the other adds, or a module that the other imports anew. `definition_changed`: one changes a constant or an alias that the other uses anew. `changed_together`: they change files that conflicts often concern together.',
    ),
  paths: z.array(z.string()).describe(`The files that the reason is about; at most ${REASON_PATHS_MAX}.`),
})
export type ChosenPair = z.output<typeof ChosenPair>

export const ProofChoice = object('ProofChoice', {
  pull_request: pullRequest.describe('The number of the pull request.'),
  head: objectName.describe('Its head commit.'),
  base_branch: z.string().describe('The branch that all of them merge into.'),
  items: z
    .array(ChosenPair)
    .describe(
      `The pairs that are worth a run, the best first; at most ${PAIRS_CHOSEN_MAX}. Pairs that git cannot merge, and those with a result for these heads, are left out.`,
    ),
  complete: z
    .boolean()
    .describe(
      'False if the pull request changes more than was compared: more than 2,000 names, or files that GitHub left out of its list. Nothing that is missing from the list is therefore ruled out.',
    ),
})
export type ProofChoice = z.output<typeof ProofChoice>
