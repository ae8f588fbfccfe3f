/** The settings of a repository: reads the files that configure it, and stores what they say. */
import { isDeepStrictEqual } from 'node:util'
import { readGitAttributes } from '../../../engine/lines/noise.ts'
import { storedSettings, storedShare } from '../../../engine/settings/layers.ts'
import { areasOfLabeler, readSettingsFile } from '../../../engine/settings/settings-file.ts'
import { ATTRIBUTES_PATH, LABELER_PATH, SETTINGS_PATH } from '../../../vocabulary/contract/settings.ts'
import { type Reader, type RepositoryName, readFile } from '../../github/repository-calls.ts'
import type { TextOf } from '../../github/repository-descriptions.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import { recordEffect } from '../../platform/telemetry/execution.ts'
import type { App } from './app.ts'
import { isOrganisationRepository, storeOrganisation } from './installation-store.ts'
import {
  findRepository,
  listRepositories,
  lockRepository,
  type RepositoryChanges,
  type RepositoryRow,
  setCommenting,
  updateRepository,
} from './store.ts'

/** A repository under its current name. */
export type NamedRepository = RepositoryName & { id: number }

/** A push to the default branch. */
export interface Push {
  sha: string
  /** The commit before the push. */
  before: string
  /** When it was pushed, to the second; null if GitHub does not say. */
  pushed_at: Date | null
}

/** How a push relates to the last one whose settings were read. `unclear`: they may be of the same second. */
export function orderOf(
  { settings_sha, settings_pushed_at }: Pick<RepositoryRow, 'settings_sha' | 'settings_pushed_at'>,
  { before, pushed_at }: Push,
): 'newer' | 'older' | 'unclear' {
  if (before === settings_sha) return 'newer'
  if (pushed_at === null) return 'unclear'
  if (settings_pushed_at === null || pushed_at > settings_pushed_at) return 'newer'
  return pushed_at < settings_pushed_at ? 'older' : 'unclear'
}

/**
 * Reads and stores the settings of the default branch. If the file is invalid, its problems are stored and the last valid
 * values stay. Without areas in the settings, the areas of the labeler file apply. Of `.gitattributes` only the rules about
 * noise are stored. `push`: reads its commit, because GitHub may still answer with the former state of the branch; undefined
 * if a later push was read before. `textOf`: the files, if they were read already. Throws what GitHub's client throws. At most three calls.
 */
export async function refreshSettings(
  app: App,
  client: Reader,
  repository: NamedRepository,
  { push, textOf: known }: { push?: Push; textOf?: TextOf | undefined } = {},
): Promise<RepositoryRow | undefined> {
  const db = app.database.connection()
  const stored = await findRepository(db, repository.id)
  const order = push && stored && orderOf(stored, push)
  if (order === 'older') return undefined
  const commit = order === 'newer' ? push : undefined
  const ref = commit?.sha ?? null
  const textOf = known ?? ((path) => readFile(client, repository, { path, ref }))
  const is_organisation = isOrganisationRepository(repository.name)
  const text = await textOf(SETTINGS_PATH)
  const file = text === null ? { settings: null, errors: [] } : readSettingsFile(text, { is_organisation })
  const settings = file.errors.length > 0 ? (stored?.settings ?? null) : file.settings
  const labeler = settings?.areas ? null : await textOf(LABELER_PATH)
  const attributes = await textOf(ATTRIBUTES_PATH)
  const isOn = [true, 'on'].includes(settings?.comment?.mode ?? false)
  const read = {
    settings,
    ...(commit && { settings_sha: commit.sha, settings_pushed_at: commit.pushed_at }),
    settings_errors: file.errors,
    // Whoever left the repository switches it on again by saying so in a changed file.
    ...(isOn && !isDeepStrictEqual(settings, stored?.settings) && { farewell_at: null }),
    noise_attributes: attributes === null ? null : readGitAttributes(attributes),
    labeler_areas: labeler === null ? null : areasOfLabeler(labeler),
  }
  return storeRepository(app, repository.id, read, { now: app.clock() })
}

/** The kind of job that rechecks all pull requests of a repository, because its settings changed. */
export const RECHECK_ALL = 'recheck_all'

/** A repository before and after a change of it or of its organisation. */
interface Change {
  before: RepositoryRow
  after: RepositoryRow
}

/**
 * Stores changes of a repository; undefined if it is not stored, or not in the installation `of`. In the same transaction, a `.github`
 * repository becomes that of its organisation, or ceases to be, and the repositories whose settings this changes are rechecked.
 */
export function storeRepository(
  app: App,
  repo_id: number,
  changes: RepositoryChanges,
  { now, of }: { now: Date; of?: number | undefined },
): Promise<RepositoryRow | undefined> {
  return app.database.connection().transaction(async (tx) => {
    await lockRepository(tx, repo_id)
    const before = await findRepository(tx, repo_id)
    if (!before || before.installation_id !== (of ?? before.installation_id)) return undefined
    const files = [before, { ...before, ...changes }].filter(({ name }) => isOrganisationRepository(name))
    const concerned: Change[] = []
    await updateRepository(tx, repo_id, changes)
    for (const installation_id of new Set(files.map((each) => each.installation_id))) {
      if (installation_id === null) continue
      const all = await listRepositories(tx, { installation_id })
      const organisation = await storeOrganisation(tx, installation_id)
      concerned.push(...all.map((row) => ({ before: row, after: { ...row, organisation } })))
    }
    const after = (await findRepository(tx, repo_id)) as RepositoryRow
    const others = concerned.filter((each) => each.before.repo_id !== repo_id)
    const all = [...others, { before, after }].filter(
      (each) => each.after.installation_id !== null || each.after.watched_at !== null,
    )
    const switchedOn = all.filter(isSwitchedOn).map((each) => each.after.repo_id)
    if (switchedOn.length > 0) await setCommenting(tx, switchedOn, now)
    const rechecks = all
      .filter(areOtherSettings)
      .map(({ after: { repo_id: id, owner } }) =>
        jobOn({ id, owner }, RECHECK_ALL, { priority: id === repo_id ? 'recheck' : 'import', run_at: now }),
      )
    await enqueue(tx, rechecks, now)
    return findRepository(tx, repo_id)
  })
}

/** Whether the organisation says something else about the repository, or its own files do. */
function areOtherSettings({ before, after }: Change): boolean {
  const [one, other] = [before, after].map((row) => [
    row.organisation === 'invalid',
    storedShare(row),
    ...settingsIn(row),
  ])
  return !isDeepStrictEqual(one, other)
}

/** What the settings files say. */
export function settingsIn(row: RepositoryRow | undefined) {
  return [row?.settings, row?.settings_errors, row?.labeler_areas, row?.noise_attributes]
}

function isSwitchedOn({ before, after }: Change): boolean {
  const [was, is] = [before, after].map((row) => storedSettings(row).comment.mode === 'on')
  return !was && is === true
}

/** Stores that the App is not installed in a repository any more, unless another installation than `of` has it by now. What it stored there is deleted after the retention period. */
export async function storeUninstalled(
  app: App,
  repo_id: number,
  { now, of }: { now: Date; of?: number | undefined },
): Promise<void> {
  const left = { installation_id: null, uninstalled_at: now }
  if (await storeRepository(app, repo_id, left, { now, of })) recordEffect('repository_left')
}
