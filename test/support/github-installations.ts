/** The App of the fake GitHub: its installations, its deliveries and its redelivery requests. */
import { randomUUID } from 'node:crypto'
import { appKey } from './github-app.ts'
import {
  type AppPermissions,
  type GithubState,
  type HookDelivery,
  type Installation,
  nextId,
  ownerOf,
  repositoryNamed,
  timestamp,
} from './github-state.ts'

export interface InstallGiven {
  /** Full names, all of one owner. */
  repositories?: string[]
  /** Every present and future repository of this account, instead of `repositories`. */
  account?: string
  id?: number
  /** Default: the permissions that the App requests; `metadata` is always included. */
  permissions?: AppPermissions
}

export type DeliveryGiven = { event: string; status_code: number } & Partial<HookDelivery>

export function fakeApp(state: GithubState) {
  const { app } = state
  const installation = (id: number): Installation => {
    const known = app.installations.find((candidate) => candidate.id === id)
    if (!known) throw new Error(`no installation ${id} on this GitHub`)
    return known
  }
  const idsOf = (names: string[]) => names.map((name) => repositoryNamed(state, name).id)
  const now = () => timestamp(state.now())
  const withMetadata = (permissions: AppPermissions): AppPermissions => ({ metadata: 'read', ...permissions })

  return {
    /** The value of `APP_ID`. */
    id: app.id,
    key: appKey,
    slug: app.slug,
    install({ repositories = [], account, ...given }: InstallGiven) {
      const owner = account ?? (repositories[0] && ownerOf(repositoryNamed(state, repositories[0])))
      if (!owner) throw new Error('an installation needs repositories or an account')
      const made: Installation = {
        id: given.id ?? nextId(state),
        account: owner,
        repositories: account ? 'all' : idsOf(repositories),
        permissions: withMetadata(given.permissions ?? app.permissions),
        events: app.events,
        suspended_at: null,
        created_at: now(),
      }
      app.installations = [...app.installations.filter(({ id }) => id !== made.id), made]
      return made
    },
    /** Its tokens are invalid from then on. */
    uninstall(id: number) {
      const gone = installation(id)
      app.installations = app.installations.filter((known) => known !== gone)
      return gone
    },
    suspend(id: number) {
      installation(id).suspended_at = now()
    },
    unsuspend(id: number) {
      installation(id).suspended_at = null
    },
    addRepositories(id: number, names: string[]) {
      const known = installation(id)
      if (known.repositories !== 'all') known.repositories = [...known.repositories, ...idsOf(names)]
    },
    removeRepositories(id: number, names: string[]) {
      const known = installation(id)
      const gone = idsOf(names)
      if (known.repositories === 'all') throw new Error(`installation ${id} has all repositories`)
      known.repositories = known.repositories.filter((repository) => !gone.includes(repository))
    },
    /** Sets the accepted permissions. Existing tokens lose all others. */
    grant(id: number, permissions: AppPermissions) {
      installation(id).permissions = withMetadata(permissions)
    },
    /** Adds a delivery to `GET /app/hook/deliveries`. */
    addDelivery(given: DeliveryGiven) {
      const delivery: HookDelivery = {
        id: nextId(state),
        guid: randomUUID(),
        action: null,
        delivered_at: now(),
        redelivery: false,
        duration: 0.12,
        status: given.status_code < 300 ? 'OK' : `Invalid HTTP Response: ${given.status_code}`,
        installation_id: app.installations[0]?.id ?? null,
        repository_id: null,
        ...given,
      }
      app.deliveries.push(delivery)
      return delivery
    },
    /** The ids of the redelivery requests, in order. */
    redelivered: () => [...app.redelivered],
  }
}
