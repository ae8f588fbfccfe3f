/** The common parts of all webhooks: GitHub's example of the event with the state of the fake GitHub. */
import {
  accountId,
  actorBody,
  filledIn,
  installationBody,
  type Json,
  nodeId,
  ownerBody,
  partOf,
  exampleOf as plainExample,
  repositoryBody,
  webUrl,
} from './github-bodies.ts'
import {
  type GithubRepository,
  type GithubState,
  type Installation,
  installationOf,
  ownerOf,
} from './github-state.ts'

export interface Webhook {
  event: string
  payload: Json
}

/** The fake GitHub. Payloads contain its current state: build them after a change, and before a removal. */
export interface Source {
  state: GithubState
}

/** `over` has the action, if the event has one. */
function webhook(state: GithubState, event: string, over: Json, example?: Json): Webhook {
  const of = example ?? exampleOf(state, undefined, event, over.action as string)
  return { event, payload: { ...of, sender: actorBody(state, { login: 'octocat' }), ...over } }
}

export function organizationWebhook(state: GithubState, login: string, event: string, over: Json): Webhook {
  const installation = state.app.installations.find(({ account }) => account === login)
  return webhook(state, event, {
    organization: organizationBody(state, login),
    ...(installation && { installation: shortInstallation(installation) }),
    ...over,
  })
}

export function installationWebhook(
  state: GithubState,
  installation: Installation,
  event: string,
  over: Json,
): Webhook {
  const example = exampleOf(state, undefined, event, over.action as string)
  const own = { ...(example.installation as Json), ...installationBody(state, installation) }
  return webhook(state, event, { installation: own, ...over }, example)
}

/** The common parts of every webhook about a repository. */
export function repositoryWebhook(
  state: GithubState,
  repository: GithubRepository,
  event: string,
  { example, ...over }: Json & { example: Json },
): Webhook {
  const installation = installationOf(state, repository)
  const { organization: _, installation: __, ...rest } = example
  const own = {
    repository: { ...(example.repository as Json), ...repositoryBody(state, repository) },
    organization: organizationBody(state, ownerOf(repository)),
    ...(installation && { installation: shortInstallation(installation) }),
  }
  return webhook(state, event, { ...own, ...over }, rest)
}

/** GitHub's example of an event, if possible of the action, with the names of the fake repository. */
export function exampleOf(
  state: GithubState,
  repository: GithubRepository | undefined,
  event: string,
  action?: string,
): Json {
  const names = /(Codertocat|Octocoders)\/Hello-World/g
  return filledIn(state, plainExample(event, action), repository ? [[names, repository.full_name]] : [])
}

export function organizationBody(state: GithubState, login: string): Json {
  const { id, node_id, avatar_url } = ownerBody(state, login)
  return { ...partOf(state, 'organization', login), id, node_id, avatar_url }
}

export function teamBody(state: GithubState, organization: string): Json {
  const slug = 'builders'
  const id = accountId(`${organization}/${slug}`)
  const url = `${state.api_url}/organizations/${accountId(organization)}/team/${id}`
  const html_url = `${webUrl(state)}/orgs/${organization}/teams/${slug}`
  const urls = { url, html_url, members_url: `${url}/members{/member}`, repositories_url: `${url}/repos` }
  const rest = {
    privacy: 'closed',
    notification_setting: 'notifications_enabled',
    permission: 'push',
    parent: null,
  }
  return { name: slug, id, node_id: nodeId('T', id), slug, description: null, ...urls, ...rest }
}

const shortInstallation = ({ id }: Installation) => ({ id, node_id: nodeId('IN', id) })

export function shortBodies(state: GithubState, repositories: GithubRepository[]): Json[] {
  return repositories.map((repository) => {
    const { id, node_id, name, full_name, private: isPrivate } = repositoryBody(state, repository)
    return { id, node_id, name, full_name, private: isPrivate }
  })
}
