/** Comments on pull requests, which GitHub stores with the issue of the same number. */
import { actorBody, appActor, appBody, type Json, nodeId, webUrl } from './github-bodies.ts'
import { contentsOf, pullNumbered } from './github-pulls.ts'
import { DOCS, failure, type GithubResponse, invalid, json, notFound, paged } from './github-reply.ts'
import type { RepositoryRoute, RepositoryRouteContext } from './github-route.ts'
import { type Comment, type GithubState, nextId, timestamp } from './github-state.ts'

const BODY_CHARACTERS_MAX = 65_536

const READ = ['issues=read', 'pull_requests=read']
const WRITE = ['issues=write', 'pull_requests=write']

export const commentRoutes: RepositoryRoute[] = [
  { route: 'GET /issues/{number}/comments', needs: READ, answer: list },
  { route: 'POST /issues/{number}/comments', needs: WRITE, answer: create },
  {
    route: 'PATCH /issues/comments/{id}',
    needs: WRITE,
    answer: (context) =>
      onOwnComment(context, (comment) => {
        const problem = bodyProblem(context)
        if (problem) return problem
        Object.assign(comment, { body: context.body.body, updated_at: timestamp(context.now) })
        return json(200, commentBody(context, comment), context.now)
      }),
  },
]

function list(context: RepositoryRouteContext): GithubResponse {
  const { state, repository, now } = context
  const pull = pullNumbered(context)
  if (!pull) return notFound(now)
  const comments = contentsOf(state, repository).comments.filter(({ number }) => number === pull.number)
  return paged(
    context,
    comments.map((comment) => commentBody(context, comment)),
  )
}

function create(context: RepositoryRouteContext): GithubResponse {
  const { state, repository, now } = context
  const pull = pullNumbered(context)
  if (!pull) return notFound(now)
  if (pull.locked) {
    return failure(
      403,
      'Unable to create comment because issue is locked.',
      `${DOCS}/articles/locking-conversations/`,
      now,
    )
  }
  const problem = bodyProblem(context)
  if (problem) return problem
  const comment: Comment = {
    id: nextId(state),
    number: pull.number,
    author: appActor(state),
    app: state.app.slug,
    body: context.body.body as string,
    reactions: { '+1': 0, '-1': 0 },
    created_at: timestamp(now),
    updated_at: timestamp(now),
  }
  contentsOf(state, repository).comments.push(comment)
  return json(201, commentBody(context, comment), now)
}

function bodyProblem({ body: { body }, now }: RepositoryRouteContext): GithubResponse | undefined {
  if ((body as string).length <= BODY_CHARACTERS_MAX) return undefined
  return invalid(now, `body is too long (maximum is ${BODY_CHARACTERS_MAX} characters)`)
}

/** GitHub lets an App change only its own comments. */
function onOwnComment(
  context: RepositoryRouteContext,
  answer: (comment: Comment) => GithubResponse,
): GithubResponse {
  const { state, repository, params, now } = context
  const comment = contentsOf(state, repository).comments.find(({ id }) => String(id) === params.id)
  if (!comment) return notFound(now)
  if (comment.app === state.app.slug) return answer(comment)
  const page = `${DOCS}/rest/issues/comments#update-an-issue-comment`
  return failure(403, 'Resource not accessible by integration', page, now)
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
