/** The table of repositories that hold, or held, a record. */
import { bigint, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { bytes, instant } from '../db/column.ts'
import type { FileSettings, Settings, SettingsProblem } from './settings.ts'

export const repositories = pgTable('repositories', {
  /** GitHub's numeric id, which survives renames and transfers. */
  repo_id: bigint({ mode: 'number' }).primaryKey(),
  owner: text().notNull(),
  name: text().notNull(),
  /** Of the GitHub App; null where it is not installed. */
  installation_id: bigint({ mode: 'number' }),
  /** When the app was taken off the repository; what it made there is deleted after the retention period. */
  left_at: instant(),
  /** GitHub limits the rate of the installation's requests until then. */
  paused_until: instant(),
  /** What the repository's settings file last set, and rightly; null where there is no such file. */
  settings: jsonb().$type<FileSettings>(),
  /** The areas of `.github/labeler.yml`, which hold where the settings name none; null where there is no such file. */
  labeler_areas: jsonb().$type<Settings['areas']>(),
  settings_errors: jsonb().$type<SettingsProblem[]>().notNull().default([]),
  /** The branch that the last reconciliation ended with, where it did not come to all. */
  branches_after: text(),
  /** The key of the hashes of lines; null until the first patch of the repository. See `lineHasherOf`. */
  line_key: bytes(),
  created_at: instant().notNull(),
  /** When a sweep last took the repository; instances claim the next one by moving it on. */
  swept_at: instant().notNull(),
})
