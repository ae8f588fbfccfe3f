/** What is read of a delivery before its event is known: its repository, and whose permissions it changes (contract §2). */
import { z } from 'zod'

const account = z.object({ login: z.string() }).nullish().catch(null)

/** A part that is missing or has another form counts as null. */
const Source = z.object({
  repository: z
    .object({ id: z.int().catch(0), owner: account })
    .nullish()
    .catch(null),
  organization: account,
  installation: z.object({ account }).nullish().catch(null),
  changes: z
    .object({
      /** The former owner of a repository that was transferred. */
      owner: z
        .object({ from: z.object({ user: account, organization: account }) })
        .nullish()
        .catch(null),
      /** The former name of an organization. */
      login: z.object({ from: z.string() }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
})

/** The repository's id; 0 where the payload names none. */
export function repositoryIdOf(payload: object): number {
  return Source.parse(payload).repository?.id ?? 0
}

/** Events after which GitHub may answer differently who may do what. */
const OF_ACCESS: ReadonlySet<string> = new Set([
  'repository',
  'installation',
  'installation_repositories',
  'member',
  'membership',
  'team',
  'organization',
])

/** The accounts whose permissions an event of this name changes: the present owner, and the former one. */
export function accessOwnersOf(name: string, payload: object): string[] {
  if (!OF_ACCESS.has(name)) return []
  const { organization, repository, installation, changes } = Source.parse(payload)
  const former = changes?.owner?.from
  const logins = [
    organization?.login ?? repository?.owner?.login ?? installation?.account?.login,
    former?.organization?.login ?? former?.user?.login ?? changes?.login?.from,
  ]
  return logins.filter((login) => login !== undefined)
}
