/** What a new settings file would change, without changing it (docs/operations.md#settings-before-they-apply). */
import { isDeepStrictEqual } from 'node:util'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { Settings, SettingsProblem } from '../../vocabulary/contract/settings.ts'
import type { Db } from '../db/database.ts'
import { isOrganisationRepository } from '../repositories/organisation.ts'
import { listRepositoriesNamed, type RepositoryRow } from '../repositories/store.ts'
import { storedLayers } from '../repositories/stored-settings.ts'
import { type SettingsLayer, settingsOf, shareOf, sourcesOf } from '../settings/layers.ts'
import { readSettingsFile } from '../settings/settings-file.ts'
import { type CountedPullRequest, countComments, type History } from './expected-comments.ts'
import { listInstalledOf, readHistory } from './history-store.ts'

/** The comments of this period are counted. */
const COUNTED_DAYS = 30
const PAGE = 100

interface Change {
  /** Such as `comment.mode`. */
  key: string
  before: unknown
  after: unknown
  source: string
}

export interface Counts {
  pull_requests: number
  /** The comments of the last 30 days by the present settings, and by the new ones. */
  before: number
  after: number
}

export interface RepositoryPreview extends Counts {
  name: string
  changes: Change[]
}

export interface Preview {
  errors: SettingsProblem[]
  repositories: AsyncIterable<RepositoryPreview>
}

/**
 * Compares the present settings with those after `text` became the file of `OWNER/REPO`, or of the organisation `OWNER`: of
 * each of its repositories.
 */
export function previewSettings(db: Db, target: string, text: string, now: Date): Preview {
  const [owner = '', given] = target.split('/')
  const name = given !== undefined && isOrganisationRepository(given) ? undefined : given
  const { settings, errors } = readSettingsFile(text, { is_organisation: name === undefined })
  if (settings === null) return { errors, repositories: none() }
  const withFile = (row: RepositoryRow): RepositoryRow => ({
    ...row,
    ...(name === undefined && { organisation: shareOf(settings, row.name) }),
    ...((name !== undefined || isOrganisationRepository(row.name)) && { settings }),
  })
  return { errors, repositories: previewEach(db, { owner, name }, withFile, now) }
}

async function* none() {}

async function* previewEach(
  db: Db,
  { owner, name }: { owner: string; name: string | undefined },
  withFile: (row: RepositoryRow) => RepositoryRow,
  now: Date,
): AsyncGenerator<RepositoryPreview> {
  const rows = name === undefined ? listAll(db, owner) : await listRepositoriesNamed(db, owner, name)
  for await (const row of rows) {
    if (row.installation_id === null) continue
    const layers = { before: storedLayers(row), after: storedLayers(withFile(row)) }
    // The budget of the first day depends on the comments of the days before.
    const history = await readHistory(db, row.repo_id, later(now, -2 * COUNTED_DAYS * DAY_MS))
    yield {
      name: `${row.owner}/${row.name}`,
      changes: compare(layers.before, layers.after),
      ...countBoth(history, settingsOf(layers.before), settingsOf(layers.after), now),
    }
  }
}

async function* listAll(db: Db, owner: string): AsyncGenerator<RepositoryRow> {
  for (let after = 0; ; ) {
    const page = await listInstalledOf(db, owner, { after, limit: PAGE })
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)?.repo_id ?? after
  }
}

function compare(before: SettingsLayer[], after: SettingsLayer[]): Change[] {
  const present = valuesOf(settingsOf(before))
  const next = valuesOf(settingsOf(after))
  const sources = sourcesOf(after)
  return Object.keys(next).flatMap((key) =>
    isDeepStrictEqual(present[key], next[key])
      ? []
      : [{ key, before: present[key], after: next[key], source: sources[key] ?? 'default' }],
  )
}

function valuesOf({ comment, ...others }: Settings): Record<string, unknown> {
  const fields = Object.entries(comment).map(([key, value]) => [`comment.${key}`, value])
  return { ...others, ...Object.fromEntries(fields) }
}

function countBoth(history: History, before: Settings, after: Settings, now: Date): Counts {
  const since = later(now, -COUNTED_DAYS * DAY_MS)
  const isCounted = ({ opened_at }: CountedPullRequest) => opened_at >= since
  return {
    pull_requests: history.pull_requests.filter(isCounted).length,
    before: countComments(history, before.comment, since),
    after: countComments(history, after.comment, since),
  }
}
