/** Check runs, completed and with an output: what the types of a request do not say about it, storage and responses. */
import { appBody, type Json, nodeId, webUrl } from './github-bodies.ts'
import { contentsOf } from './github-pulls.ts'
import { type GithubResponse, invalid, json } from './github-reply.ts'
import type { RepositoryRoute, RepositoryRouteContext } from './github-route.ts'
import { type Annotation, type CheckRun, nextId, timestamp } from './github-state.ts'

const ANNOTATIONS_MAX = 50
const TEXT_CHARACTERS_MAX = 65_535

interface Output {
  title: string
  summary: string
  text?: string
  annotations?: Annotation[]
}

export const checkRoutes: RepositoryRoute[] = [
  { route: 'POST /check-runs', needs: ['checks=write'], answer: create },
]

function create(context: RepositoryRouteContext): GithubResponse {
  const { state, repository, body } = context
  const contents = contentsOf(state, repository)
  if (!contents.commits.has(body.head_sha as string))
    return invalid(`No commit found for SHA: ${body.head_sha}`)
  const output = body.output as Output
  if (!isAccepted(output)) return invalid('Validation Failed')

  const { annotations = [], ...texts } = output
  const run: CheckRun = {
    id: nextId(state),
    name: body.name as string,
    head_sha: body.head_sha as string,
    status: 'completed',
    conclusion: body.conclusion as string,
    output: { text: null, ...texts },
    annotations,
  }
  contents.check_runs.push(run)
  return json(201, runBody(context, run))
}

function isAccepted({ summary, text = '', annotations = [] }: Output): boolean {
  if (annotations.length > ANNOTATIONS_MAX) return false
  if (annotations.some(({ start_line, end_line }) => start_line < 1 || end_line < start_line)) return false
  return Math.max(summary.length, text.length) <= TEXT_CHARACTERS_MAX
}

function runBody({ state, repository }: RepositoryRouteContext, { annotations, ...run }: CheckRun): Json {
  const url = `${state.api_url}/repos/${repository.full_name}`
  const self = `${url}/check-runs/${run.id}`
  return {
    ...run,
    external_id: '',
    details_url: null,
    started_at: timestamp(state.now()),
    completed_at: timestamp(state.now()),
    node_id: nodeId('CR', run.id),
    url: self,
    html_url: `${webUrl(state)}/${repository.full_name}/runs/${run.id}`,
    output: { ...run.output, annotations_count: annotations.length, annotations_url: `${self}/annotations` },
    check_suite: { id: run.id + 1_000_000 },
    app: appBody(state),
    pull_requests: [],
  }
}
