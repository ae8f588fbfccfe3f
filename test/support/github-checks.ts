/** Check runs: validation, storage and responses. Only of completed ones with an output. */
import { appBody, type Json, nodeId, webUrl } from './github-bodies.ts'
import { contentsOf } from './github-pulls.ts'
import { DOCS, type FieldError, failure, type GithubResponse, invalid, json } from './github-reply.ts'
import type { RepositoryRoute, RepositoryRouteContext } from './github-route.ts'
import { type Annotation, type CheckRun, nextId, timestamp } from './github-state.ts'

const ANNOTATIONS_MAX = 50
const TEXT_CHARACTERS_MAX = 65_535
const CONCLUSIONS = ['action_required', 'cancelled', 'failure', 'neutral', 'success', 'skipped', 'timed_out']
const LEVELS = ['notice', 'warning', 'failure']

export const checkRoutes: RepositoryRoute[] = [
  { route: 'POST /check-runs', needs: ['checks=write'], answer: create },
]

function create(context: RepositoryRouteContext): GithubResponse {
  const { state, repository, body, now, caller } = context
  if (caller.kind !== 'installation') return appsOnly(now)
  const missing = ['name', 'head_sha'].filter(
    (field) => typeof body[field] !== 'string' || body[field] === '',
  )
  if (missing.length > 0) {
    return invalid(
      now,
      missing.map((field) => ({ resource: 'CheckRun', code: 'missing_field', field })),
    )
  }
  const contents = contentsOf(state, repository)
  if (!contents.commits.has(body.head_sha as string))
    return invalid(now, `No commit found for SHA: ${body.head_sha}`)
  const errors = problems(body)
  if (errors.length > 0) return invalid(now, errors)

  const { annotations = [], ...texts } = body.output as { annotations?: Annotation[] }
  const run: CheckRun = {
    id: nextId(state),
    name: body.name as string,
    head_sha: body.head_sha as string,
    status: 'completed',
    conclusion: body.conclusion as string,
    output: { title: null, summary: null, text: null, ...texts },
    annotations,
  }
  contents.check_runs.push(run)
  return json(201, runBody(context, run), now)
}

type Wrong = Omit<FieldError, 'resource'>

function problems(body: Record<string, unknown>): FieldError[] {
  const wrong: Wrong[] = []
  if (body.status !== 'completed') wrong.push({ code: 'invalid', field: 'status' })
  if (!CONCLUSIONS.includes(body.conclusion as string)) wrong.push({ code: 'invalid', field: 'conclusion' })
  wrong.push(...outputProblems((body.output ?? {}) as Record<string, unknown>))
  return wrong.map((error) => ({ resource: 'CheckRun', ...error }))
}

function outputProblems(output: Record<string, unknown>): Wrong[] {
  const wrong: Wrong[] = []
  for (const field of ['title', 'summary']) {
    if (typeof output[field] !== 'string') wrong.push({ code: 'missing_field', field: `output.${field}` })
  }
  for (const field of ['summary', 'text']) {
    if (String(output[field] ?? '').length > TEXT_CHARACTERS_MAX) {
      wrong.push({ code: 'invalid', field: `output.${field}` })
    }
  }
  const annotations = (output.annotations ?? []) as Partial<Record<string, unknown>>[]
  if (annotations.length > ANNOTATIONS_MAX) {
    const message = `annotations exceeds a maximum quantity of ${ANNOTATIONS_MAX}`
    wrong.push({ code: 'custom', field: 'output.annotations', message })
  }
  for (const annotation of annotations) {
    const { path, start_line, end_line, annotation_level, message } = annotation
    const isLine = (value: unknown) => Number.isInteger(value) && (value as number) >= 1
    const fields: [string, boolean][] = [
      ['path', typeof path === 'string' && path !== ''],
      ['start_line', isLine(start_line)],
      ['end_line', isLine(end_line) && (end_line as number) >= (start_line as number)],
      ['annotation_level', LEVELS.includes(annotation_level as string)],
      ['message', typeof message === 'string' && message !== ''],
    ]
    for (const [field, holds] of fields) {
      if (!holds) wrong.push({ code: 'invalid', field: `output.annotations.${field}` })
    }
  }
  return wrong
}

function appsOnly(now: Date): GithubResponse {
  return failure(403, 'You must authenticate via a GitHub App.', `${DOCS}/rest/checks/runs`, now)
}

function runBody(
  { state, repository, now }: RepositoryRouteContext,
  { annotations, ...run }: CheckRun,
): Json {
  const url = `${state.api_url}/repos/${repository.full_name}`
  const self = `${url}/check-runs/${run.id}`
  const repo = { id: repository.id, url, name: repository.full_name.split('/')[1] }
  const pulls = contentsOf(state, repository).pulls.filter(
    ({ head, state: is }) =>
      is === 'open' && head.sha === run.head_sha && head.repository === repository.full_name,
  )
  return {
    ...run,
    external_id: '',
    details_url: null,
    started_at: timestamp(now),
    completed_at: timestamp(now),
    node_id: nodeId('CR', run.id),
    url: self,
    html_url: `${webUrl(state)}/${repository.full_name}/runs/${run.id}`,
    output: {
      ...run.output,
      annotations_count: annotations.length,
      annotations_url: `${self}/annotations`,
    },
    check_suite: { id: run.id + 1_000_000 },
    app: appBody(state),
    pull_requests: pulls.map(({ id, number, head, base }) => ({
      url: `${url}/pulls/${number}`,
      id,
      number,
      head: { ref: head.ref, sha: head.sha, repo },
      base: { ref: base.ref, sha: base.sha, repo },
    })),
  }
}
