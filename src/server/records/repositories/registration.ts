/** Registers repositories: stores those that callers or GitHub name, and where the App is installed. */
import { later } from '../../../vocabulary/clock.ts'
import { statusOf } from '../../github/client.ts'
import { hasOpenPullRequest, isNotFound, permissionsOf } from '../../github/repository-calls.ts'
import type { TextOf } from '../../github/repository-descriptions.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import type { App } from './app.ts'
import { findInstallation, isSuspended, openInstallation, REPOSITORY } from './installation.ts'
import {
  findInstallationState,
  isOrganisationRepository,
  ORGANISATION_REPOSITORY,
  storeOrganisation,
  storePermissions,
} from './installation-store.ts'
import { openStored, type RepoContext } from './repo.ts'
import { findRepository, insertRepository, type RepositoryRow, updateRepository } from './store.ts'
import { type NamedRepository, refreshSettings, storeRepository } from './stored-settings.ts'

/** Notes that GitHub showed a repository under this name. */
export function nameShown(app: App, repository: NamedRepository, at: Date): void {
  app.names_shown.set(keyOf(repository), at)
}

/** Whether GitHub has shown the repository under this name since then, as far as this instance knows. */
export function wasNameShown(app: App, repository: NamedRepository, since: Date): boolean {
  const shown_at = app.names_shown.get(keyOf(repository))
  // The clock may have been set back since.
  return shown_at !== undefined && shown_at > since && shown_at <= app.clock()
}

function keyOf({ id, owner, name }: NamedRepository): string {
  return `${id} ${owner}/${name}`
}

/** A repository as a delivery or GitHub describes it. */
export type InstalledRepository = NamedRepository & { installation_id: number }

/** Stores the installation and the current name of a repository, which decide what its organisation says about it. */
export async function recordInstallation(
  app: App,
  repository: InstalledRepository,
  now: Date,
): Promise<RepositoryRow> {
  const { id: repo_id, owner, name, installation_id } = repository
  const db = app.database.connection()
  const stored = await findRepository(db, repo_id)
  if (!stored) await insertRepository(db, repository, now)
  nameShown(app, repository, now)
  // The removal of the former one may arrive later.
  const again = stored?.installation_id !== installation_id && { farewell_at: null }
  const known = { owner, name, installation_id, uninstalled_at: null, ...again }
  // A new one is imported.
  const added = stored?.installation_id == null && { commenting_since: now, reconciled_at: now }
  return (await storeRepository(app, repo_id, { ...known, ...added }, { now })) as RepositoryRow
}

/**
 * Reads the settings of a repository that GitHub has just shown, and then stores its installation. `textOf`: its files, if they were read
 * already. Throws what GitHub's client throws; the installation is then not stored, and the next event tries again.
 */
export async function registerInstallation(
  app: App,
  repository: InstalledRepository,
  { now, textOf }: { now: Date; textOf?: TextOf },
): Promise<RepositoryRow> {
  await insertRepository(app.database.connection(), repository, now)
  await refreshSettings(app, await openInstallation(app, repository.installation_id), repository, { textOf })
  await findOrganisationFile(app, repository, now)
  return recordInstallation(app, repository, now)
}

/**
 * Registers the repository with the settings of the organisation, unless the service knows already whether there is one. It is found in the
 * list of the installation: GitHub answers 404 during an incident, too, and then comments would be on where the organisation has them off.
 * Once for each installation: later changes arrive as webhooks.
 */
export async function findOrganisationFile(
  app: App,
  repository: InstalledRepository,
  now: Date,
): Promise<void> {
  const { name, installation_id } = repository
  const db = app.database.connection()
  if ((await findInstallationState(db, installation_id))?.is_organisation_known) return
  const isShared = isOrganisationRepository(name)
  const shared = isShared ? undefined : await findShared(app, repository)
  if (shared) return void (await registerInstallation(app, shared, { now }))
  // Not before: until a repository is stored, a sweep forgets the installation.
  const client = await openInstallation(app, installation_id)
  await storePermissions(db, installation_id, await permissionsOf(client), now)
  if (!isShared) await db.transaction((tx) => storeOrganisation(tx, installation_id))
}

async function findShared(
  app: App,
  { owner, name, installation_id }: InstalledRepository,
): Promise<InstalledRepository | undefined> {
  try {
    for await (const page of listInstalled(app, installation_id)) {
      const shared = page.find((each) => isOrganisationRepository(each.name))
      if (shared) return shared
    }
    return undefined
  } catch (error) {
    // Where nothing else is 404, the server has no such list.
    if (!isNotFound(error) || (await findInstallation(app, { owner, name })) !== installation_id) throw error
  }
  const shared = { owner, name: ORGANISATION_REPOSITORY, installation_id }
  return (await findInstallation(app, shared)) === installation_id ? findNamed(app, shared) : undefined
}

/** The repositories of an installation, in pages. One call per page. */
export async function* listInstalled(
  app: App,
  installation_id: number,
): AsyncGenerator<(InstalledRepository & { pushed_at: string })[]> {
  const client = await openInstallation(app, installation_id)
  const per_page = app.list_limits.page
  for (let page = 1; ; page += 1) {
    const { data } = await client.rest.apps.listReposAccessibleToInstallation({ per_page, page })
    yield data.repositories.map(({ id, name, owner, pushed_at }) => {
      return { id, owner: owner.login, name, installation_id, pushed_at: pushed_at ?? '' }
    })
    if (data.repositories.length < per_page) return
  }
}

/** `is_described`: its installation and its settings are stored. `installation_id`: unless it is not known yet. */
export type ImportedRepository = NamedRepository & { installation_id?: number; is_described?: boolean }

/** If the process ends while it registers a repository, the import starts this much later. */
const REGISTERED_WITHIN_MS = 60_000

/**
 * Stores a repository on the first request of a caller with write access, and reads its settings if the App is installed: a job then imports
 * its open pull requests. Later requests make no calls, because later installations arrive as webhooks; so the row comes after the job. If
 * GitHub fails, the job retries.
 */
export async function registerRepository(app: App, repository: NamedRepository, now: Date): Promise<void> {
  const { id, owner, name } = repository
  const db = app.database.connection()
  if (await findRepository(db, id)) return
  try {
    const present = app.github_app ? await findInstalled(app, repository) : undefined
    const client = present && (await openInstallation(app, present.installation_id))
    const isImported = client && (await hasOpenPullRequest(client, present))
    if (isImported) await enqueueImport(app, { id, owner, name }, later(now, REGISTERED_WITHIN_MS))
    if (present) await registerInstallation(app, present, { now })
    if (isImported) await enqueueImport(app, { ...present, is_described: true }, now)
  } catch (error) {
    app.log.warn({ repo_id: id, status: statusOf(error) }, 'repository not read, a job will retry')
    await enqueueImport(app, { id, owner, name }, now)
  }
  await insertRepository(db, repository, now)
}

/** A repository under its current name, if the App is installed there and it is still this one. Two calls. */
export async function findInstalled(app: App, repository: NamedRepository) {
  const installation_id = await findInstallation(app, repository)
  return installation_id === null ? undefined : findPresent(app, { ...repository, installation_id })
}

function enqueueImport(app: App, payload: ImportedRepository, now: Date): Promise<void> {
  const job = jobOn(payload, REPOSITORY, { priority: 'import', payload, run_at: now })
  return enqueue(app.database.connection(), [job], now)
}

/** `delivered_at` is exact to this. */
const DELIVERED_WITHIN_MS = 3_600_000

/** A repository as an event describes it. `shown_at`: GitHub wrote the event then, or later. */
export type ShownRepository = InstalledRepository & { shown_at: Date }

/** Opens the repository of an event, once its row is up to date; undefined if the App is not installed there any more. */
export async function openInstalled(
  app: App,
  { shown_at, ...repository }: ShownRepository,
  now: Date,
): Promise<RepoContext | undefined> {
  const db = app.database.connection()
  nameShown(app, repository, shown_at < now ? shown_at : now)
  const stored = await findRepository(db, repository.id)
  const row = await followInstallation(app, stored, { repository, now })
  if (row?.installation_id == null) return undefined
  const delivered_at = row.delivered_at ?? row.created_at
  if (delivered_at < later(now, -DELIVERED_WITHIN_MS))
    await updateRepository(db, repository.id, { delivered_at: now })
  return openStored(app, row, now)
}

/**
 * The row of the repository of an event. The first event also reads its settings, and a job imports the rest. If the event has another name or
 * installation than the stored one, GitHub decides, because the event may be older.
 */
async function followInstallation(
  app: App,
  stored: RepositoryRow | undefined,
  { repository, now }: { repository: InstalledRepository; now: Date },
): Promise<RepositoryRow | undefined> {
  const { owner, name, installation_id } = repository
  const isSame = stored?.installation_id === installation_id && stored.owner === owner && stored.name === name
  if (isSame) return stored
  // Being able to read the repository proves nothing: every installation can read a public one.
  const isOther = stored && stored.installation_id !== installation_id
  if (isOther && (await findInstallation(app, repository)) !== installation_id) return stored
  const present = await findPresent(app, repository)
  if (!present) return stored
  if (stored?.installation_id != null) return recordInstallation(app, present, now)
  // Before it is registered, or a retry would not know that the import is missing. It runs after this job, which is of its repository.
  await enqueueImport(app, { ...present, is_described: true }, now)
  return registerInstallation(app, present, { now })
}

/**
 * A repository under its current name; undefined if the installation cannot see it, or if its name belongs to another one now: names are
 * used again, ids are not. One call.
 */
async function findPresent(
  app: App,
  repository: InstalledRepository,
): Promise<InstalledRepository | undefined> {
  const found = await findNamed(app, repository)
  return found?.id === repository.id ? found : undefined
}

/** A former name redirects, unless another repository has taken it. */
async function findNamed(
  app: App,
  { owner, name, installation_id }: Omit<InstalledRepository, 'id'>,
): Promise<InstalledRepository | undefined> {
  try {
    const client = await openInstallation(app, installation_id)
    const found = (await client.rest.repos.get({ owner, repo: name })).data
    return { id: found.id, owner: found.owner.login, name: found.name, installation_id }
  } catch (error) {
    if (isNotFound(error) || isSuspended(error)) return undefined
    throw error
  }
}
