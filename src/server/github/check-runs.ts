/** Check runs, which the App creates on commits. */
import { recordEffect } from '../platform/telemetry/execution.ts'
import type { Installation } from './github-app.ts'
import type { RepositoryName } from './repository-calls.ts'

export interface CheckRun {
  head_sha: string
  conclusion: 'success' | 'neutral'
  title: string
  summary: string
  /** At most 50. */
  annotations: Annotation[]
}

export interface Annotation {
  path: string
  /** First and last line, counted from 1; null for the file as a whole. */
  lines: readonly [first: number, last: number] | null
  message: string
}

/** Creates a completed check run `Deconflict` on a commit. Of several with this name, GitHub shows the latest. One call. */
export async function reportCheckRun(
  client: Installation,
  repo: RepositoryName,
  run: CheckRun,
): Promise<void> {
  await client.rest.checks.create({
    owner: repo.owner,
    repo: repo.name,
    name: 'Deconflict',
    head_sha: run.head_sha,
    status: 'completed',
    conclusion: run.conclusion,
    output: {
      title: run.title,
      summary: run.summary,
      annotations: run.annotations.map(({ path, lines, message }) => ({
        path,
        message,
        start_line: lines?.[0] ?? 1,
        end_line: lines?.[1] ?? 1,
        annotation_level: 'notice',
      })),
    },
  })
  recordEffect('check_run_reported')
}
