/** Comments on pull requests, which GitHub stores with the issue of the same number. */
import { actorBody, appActor, appBody, type Json, nodeId, webUrl } from './github-bodies.ts'
import { contentsOf, pullNumbered } from './github-pulls.ts'
import {
  failure,
  type GithubResponse,
  invalid,
  json,
  notAccessible,
  notFound,
  paged,
} from './github-reply.ts'
import type { RepositoryRoute, RepositoryRouteContext } from './github-route.ts'
import { type Comment, type GithubState, nextId, timestamp } from './github-state.ts'

const BODY_CHARACTERS_MAX = 65_536

const READ = ['issues=read', 'pull_requests=read']
const WRITE = ['issues=write', 'pull_requests=write']

export const commentRoutes: RepositoryRoute[] = [
  { route: 'GET /issues/{number}/comments', needs: READ, answer: list },
  { route: 'POST /issues/{number}/comments', needs: WRITE, answer: create },
  { route: 'PATCH /issues/comments/{id}', needs: WRITE, answer: update },
]

function list(context: RepositoryRouteContext): GithubResponse {
  const { state, repository } = context
  const pull = pullNumbered(context)
  if (!pull) return notFound()
  const comments = contentsOf(state, repository).comments.filter(({ number }) => number === pull.number)
  return paged(
    context,
    comments.map((comment) => commentBody(context, comment)),
  )
}

function create(context: RepositoryRouteContext): GithubResponse {
  const { state, repository } = context
  const pull = pullNumbered(context)
  if (!pull) return notFound()
  if (pull.locked) return failure(403, 'Unable to create comment because issue is locked.')
  const problem = bodyProblem(context)
  if (problem) return problem
  const comment: Comment = {
    id: nextId(state),
    number: pull.number,
    author: appActor(state),
    app: state.app.slug,
    body: context.body.body as string,
    reactions: { '+1': 0, '-1': 0 },
    created_at: timestamp(state.now()),
    updated_at: timestamp(state.now()),
  }
  contentsOf(state, repository).comments.push(comment)
  return json(201, commentBody(context, comment))
}

function bodyProblem({ body: { body } }: RepositoryRouteContext): GithubResponse | undefined {
  if ((body as string).length <= BODY_CHARACTERS_MAX) return undefined
  return invalid(`body is too long (maximum is ${BODY_CHARACTERS_MAX} characters)`)
}

/** GitHub lets an App change only its own comments. */
function update(context: RepositoryRouteContext): GithubResponse {
  const { state, repository, params, body } = context
  const comment = contentsOf(state, repository).comments.find(({ id }) => String(id) === params.id)
  if (!comment) return notFound()
  if (comment.app !== state.app.slug) return notAccessible()
  const problem = bodyProblem(context)
  if (problem) return problem
  Object.assign(comment, { body: body.body, updated_at: timestamp(state.now()) })
  return json(200, commentBody(context, comment))
}

function commentBody({ state, repository }: RepositoryRouteContext, comment: Comment): Json {
  const self = `${state.api_url}/repos/${repository.full_name}`
  const web = `${webUrl(state)}/${repository.full_name}/pull/${comment.number}`
  return {
    url: `${self}/issues/comments/${comment.id}`,
    html_url: `${web}#issuecomment-${comment.id}`,
    issue_url: `${self}/issues/${comment.number}`,
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    user: actorBody(state, comment.author),
    created_at: comment.created_at,
    updated_at: comment.updated_at,
    body: comment.body,
    reactions: reactionsBody(`${self}/issues/comments/${comment.id}/reactions`, comment.reactions),
    author_association: comment.app ? 'NONE' : 'CONTRIBUTOR',
    performed_via_github_app: comment.app === null ? null : appOf(state, comment.app),
  }
}

function reactionsBody(url: string, counts: Comment['reactions']): Json {
  const others = { laugh: 0, confused: 0, heart: 0, hooray: 0, eyes: 0, rocket: 0 }
  return { url, total_count: counts['+1'] + counts['-1'], ...counts, ...others }
}

/** This App, or another one with that slug. */
function appOf(state: GithubState, slug: string): Json {
  const ours = appBody(state)
  return slug === state.app.slug ? ours : { ...ours, id: 15_368, slug, name: slug, client_id: 'Iv1.other' }
}
