/** The webhooks about access: members, teams and organisations. */
import { actorBody, type Json, repositoryBody } from './github-bodies.ts'
import { repositoryNamed } from './github-state.ts'
import {
  exampleOf,
  organizationWebhook,
  repositoryWebhook,
  type Source,
  teamBody,
  type Webhook,
} from './webhook-payload.ts'

export const MEMBER_ACTIONS = ['added', 'edited', 'removed'] as const

export function memberEvent(
  { state }: Source,
  full_name: string,
  action: (typeof MEMBER_ACTIONS)[number],
  login: string,
): Webhook {
  const repository = repositoryNamed(state, full_name)
  const example = exampleOf(state, repository, 'member', action === 'removed' ? 'added' : action)
  return repositoryWebhook(state, repository, 'member', example, {
    action,
    member: actorBody(state, { login }),
  })
}

export function membershipEvent(
  { state }: Source,
  organization: string,
  action: 'added' | 'removed',
  { login, team = 'builders' }: { login: string; team?: string },
): Webhook {
  return organizationWebhook(state, organization, 'membership', action, {
    member: actorBody(state, { login }),
    team: teamBody(state, organization, team),
  })
}

export const TEAM_ACTIONS = [
  'added_to_repository',
  'removed_from_repository',
  'created',
  'deleted',
  'edited',
] as const

/** With a repository for `added_to_repository` and `removed_from_repository`. */
export function teamEvent(
  { state }: Source,
  organization: string,
  action: (typeof TEAM_ACTIONS)[number],
  { repository, team = 'builders' }: { repository?: string; team?: string } = {},
): Webhook {
  const at = repository === undefined ? undefined : repositoryNamed(state, repository)
  const example = exampleOf(state, at, 'team', action)
  return organizationWebhook(state, organization, 'team', action, {
    team: teamBody(state, organization, team),
    ...(at && { repository: { ...(example.repository as Json), ...repositoryBody(state, at) } }),
  })
}

export const ORGANIZATION_ACTIONS = [
  'member_added',
  'member_removed',
  'member_invited',
  'renamed',
  'deleted',
] as const

export function organizationEvent(
  { state }: Source,
  organization: string,
  action: (typeof ORGANIZATION_ACTIONS)[number],
  details: { login?: string; from?: string } = {},
): Webhook {
  const membership = {
    url: `${state.api_url}/orgs/${organization}/memberships/${details.login}`,
    state: 'active',
    role: 'member',
    organization_url: `${state.api_url}/orgs/${organization}`,
    user: actorBody(state, { login: details.login ?? 'octocat' }),
  }
  return organizationWebhook(state, organization, 'organization', action, {
    ...(action === 'renamed' ? { changes: { login: { from: details.from } } } : { membership }),
  })
}
