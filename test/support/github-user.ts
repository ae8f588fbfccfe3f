/** The user of a token. */
import { account } from './github-bodies.ts'
import { type GithubResponse, json, notAccessible } from './github-reply.ts'
import type { RouteContext } from './github-route.ts'

const UNUSED_USER_FIELDS = {
  name: null,
  company: null,
  blog: '',
  location: null,
  email: null,
  hireable: null,
  bio: null,
  public_repos: 0,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: '2024-01-15T08:00:00Z',
  updated_at: '2024-01-15T08:00:00Z',
}

export function userAnswer({ state, caller }: RouteContext): GithubResponse {
  const user = caller.kind === 'token' ? caller.credential.user : undefined
  if (!user) return notAccessible()
  return json(200, { ...account(state, user.login, user.id, 'User'), ...UNUSED_USER_FIELDS })
}
