/** The table of repositories. */
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { KEY_BYTES } from '../../../engine/lines/line-hash.ts'
import type { AttributeRule } from '../../../engine/lines/noise.ts'
import type { OrganisationFile } from '../../../engine/settings/layers.ts'
import type { FileSettings, Settings, SettingsProblem } from '../../../vocabulary/contract/settings.ts'
import { bytes, instant, repoId } from '../../platform/db/database.ts'

export const repositories = pgTable(
  'repositories',
  {
    /** GitHub's numeric id. It stays the same when the repository is renamed or transferred. */
    repo_id: bigint({ mode: 'number' }).primaryKey(),
    owner: text().notNull(),
    name: text().notNull(),
    /** The installation of the GitHub App; null if it is not installed. */
    installation_id: bigint({ mode: 'number' }),
    /** When the App was last installed, or `comment.mode` last changed to `on`; null if neither was seen. */
    commenting_since: instant(),
    /** When it was left: nothing is posted there, until the App is installed or switched on again. See `startFarewell`. */
    farewell_at: instant(),
    /** When the App was uninstalled. Its data is deleted after the retention period. */
    uninstalled_at: instant(),
    /** When an instance last polled the repository, which it does every minute (`github/tracking/watch.ts`); null if it is not watched. */
    watched_at: instant(),
    /** The last valid settings file; null if there is none. */
    settings: jsonb().$type<FileSettings>(),
    /** The last push whose settings file was read, and when it was pushed; null if none was. */
    settings_sha: text(),
    settings_pushed_at: instant(),
    /** The areas of `.github/labeler.yml`, which apply if the settings have none; null if there is no such file. */
    labeler_areas: jsonb().$type<Settings['areas']>(),
    /** The rules about noise in the root `.gitattributes`; null if there is no such file. */
    noise_attributes: jsonb().$type<AttributeRule[]>(),
    settings_errors: jsonb().$type<SettingsProblem[]>().notNull().default([]),
    /** When it was last reconciled with GitHub, or imported; null if never. */
    reconciled_at: instant(),
    /** When a delivery last arrived for it, to the hour; null if none did. */
    delivered_at: instant(),
    /** The last branch that the reconciliation checked; null if it checked all. */
    branches_after: text(),
    /** The key with which its lines are hashed. */
    line_key: bytes()
      .notNull()
      .$defaultFn(() => randomBytes(KEY_BYTES)),
    created_at: instant().notNull(),
    /** When the repository was last swept. An instance claims a repository by updating it. */
    swept_at: instant().notNull(),
  },
  (table) => [
    check(
      'repositories_uninstalled_at_check',
      sql`${table.uninstalled_at} is null or ${table.installation_id} is null`,
    ),
  ],
)

/** The ETags of what the reconciliation read on GitHub. */
export const etags = pgTable(
  'etags',
  {
    repo_id: repoId(),
    /** What was read, such as `branches/main`. */
    address: text().notNull(),
    etag: text().notNull(),
    asked_at: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.repo_id, table.address] })],
)

/**
 * The installations of the App: their calls, because GitHub limits the rate of an installation, and the settings file of the account
 * that it is installed in, beside which its repositories are read. Not keyed by repository; a distributed database has the table on every node.
 */
export const installations = pgTable('installations', {
  installation_id: bigint({ mode: 'number' }).primaryKey(),
  /** When the rate limit ends that GitHub reported for reading. */
  reads_paused_until: instant(),
  /** The same for writing. */
  writes_paused_until: instant(),
  /** No write is made before this time. */
  next_write_at: instant(),
  /** The writes made so far are worth this much time, at one in `INTERVAL_MS`. */
  writes_until: instant(),
  /** The calls of imports so far are worth this much time, at one in `IMPORT_INTERVAL_MS`. */
  imports_until: instant(),
  /** The settings file of its `.github` repository; null if there is none, or if that is not known yet. */
  organisation: jsonb().$type<OrganisationFile>(),
  /** Whether it is known if there is one. */
  is_organisation_known: boolean().notNull().default(false),
  /** The App may write neither comments nor check runs there (app.readonly.yml). */
  is_read_only: boolean().notNull().default(false),
})
