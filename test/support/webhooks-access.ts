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
  return repositoryWebhook(state, repository, 'member', {
    example,
    action,
    member: actorBody(state, { login }),
  })
}

export function membershipEvent(
  { state }: Source,
  organization: string,
  action: 'added' | 'removed',
  login: string,
): Webhook {
  return organizationWebhook(state, organization, 'membership', {
    action,
    member: actorBody(state, { login }),
    team: teamBody(state, organization),
  })
}

/** A team was removed from a repository. */
export function teamEvent({ state }: Source, organization: string, full_name: string): Webhook {
  const repository = repositoryNamed(state, full_name)
  const example = exampleOf(state, repository, 'team', 'removed_from_repository')
  return organizationWebhook(state, organization, 'team', {
    action: 'removed_from_repository',
    team: teamBody(state, organization),
    repository: { ...(example.repository as Json), ...repositoryBody(state, repository) },
  })
}

/** A member was removed. */
export function organizationEvent({ state }: Source, organization: string, login: string): Webhook {
  const organization_url = `${state.api_url}/orgs/${organization}`
  const membership = {
    url: `${organization_url}/memberships/${login}`,
    state: 'active',
    role: 'member',
    organization_url,
    user: actorBody(state, { login }),
  }
  return organizationWebhook(state, organization, 'organization', { action: 'member_removed', membership })
}
