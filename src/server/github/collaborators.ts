/** What a person may do in a repository, as GitHub tells the App. */
import type { Installation } from './github-app.ts'
import { statusOf } from './octokit.ts'
import type { RepositoryName } from './repository-calls.ts'

const TRIAGING: ReadonlySet<string> = new Set(['admin', 'maintain', 'write', 'triage'])

/** Whether the account may triage. One call. */
export async function mayTriage(
  client: Installation,
  { owner, name: repo }: RepositoryName,
  username: string,
): Promise<boolean> {
  try {
    const { data } = await client.rest.repos.getCollaboratorPermissionLevel({ owner, repo, username })
    return TRIAGING.has(data.role_name) || TRIAGING.has(data.permission)
  } catch (error) {
    if (statusOf(error) === 404) return false
    throw error
  }
}
