/** Examples of the operations on proofs for the OpenAPI document. */
import type { InputOf, OutputOf } from '../../../vocabulary/contract/contract.ts'

const PROOF: InputOf<'reportProof'> = {
  pull_requests: [12, 15],
  heads: ['2fd4e1c67a2d28fced849ee1bb76e7391b93eb12', 'de9f2c7fd25e1b3afad3e85a0bd17d9b100db4b3'],
  base: '7c3f1a9e5b2d4806f1e2d3c4b5a697887a6b5c4d',
  command_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  result: 'failed',
  log_url: 'https://github.com/acme/shop/actions/runs/17',
}

export const PROOF_EXAMPLES: {
  choosePairs: { response: OutputOf<'choosePairs'> }
  reportProof: { request: InputOf<'reportProof'>; response: OutputOf<'reportProof'> }
} = {
  choosePairs: {
    response: {
      pull_request: 15,
      head: PROOF.heads[1],
      base_branch: 'main',
      items: [
        {
          pull_requests: [15, 12],
          heads: [PROOF.heads[1], PROOF.heads[0]],
          reason: 'near',
          paths: ['src/checkout/retry.ts'],
        },
      ],
      complete: true,
    },
  },
  reportProof: {
    request: PROOF,
    response: { ...PROOF, reported_at: '2026-01-31T10:30:00.000Z' },
  },
}
