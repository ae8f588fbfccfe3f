/** The settings of a repository: schema, defaults and limits (docs/contract/settings.md#keys). */
import { z } from 'zod'
import { NOTABLE_CATEGORIES, SEVERITIES } from '../severity.ts'
import { boolean, count, httpsUrl, object, sample, text, textOrNull } from './field.ts'
import { label, labelKey, paths } from './scope.ts'

export const SETTINGS_PATH = '.github/deconflict.yml'
export const LABELER_PATH = '.github/labeler.yml'
export const ATTRIBUTES_PATH = '.gitattributes'
/** The files that configure a repository. */
export const SETTINGS_PATHS: readonly string[] = [SETTINGS_PATH, LABELER_PATH, ATTRIBUTES_PATH]

/** A file of several classes belongs to the first enabled one. */
export const NOISE_CLASSES = [
  'lock',
  'vendored',
  'generated',
  'snapshot',
  'changelog',
  'manifest',
  'binary',
] as const
export type NoiseClass = (typeof NOISE_CLASSES)[number]

/** The branches that cloud coding agents push to. */
const TRACKED_BRANCHES = ['claude/**', 'codex/**', 'copilot/**', 'cursor/**', 'jules/**']

const login = text(1, 100, z.string().trim())

const problemOf = (glob: unknown) => paths.safeParse([glob]).error?.issues[0]?.message
const glob = z.string().refine((each) => !problemOf(each), { error: ({ input }) => problemOf(input) })

const commentFields = {
  mode: z
    .enum(['on', 'shadow', 'off'])
    .describe(
      'Whether pull requests get a comment. `shadow`: nothing is posted, but the signal report shows what would have been posted. `off`: nothing is posted or recorded.',
    ),
  min_severity: z.enum(SEVERITIES).describe('The lowest severity that is shown.'),
  draft_min_severity: z
    .enum(SEVERITIES)
    .describe('The lowest severity that is shown while the pull request is a draft.'),
  audience: z
    .enum(['later', 'both'])
    .describe(
      'Which pull request gets the comment: the one whose push caused the overlap (if unknown, the one that was opened later), or both.',
    ),
  stale_after_days: z
    .int()
    .min(1)
    .max(365)
    .describe('An overlap is not shown if either side was not pushed or declared for this many days.'),
  same_author: boolean('Whether other work of the same author is shown.'),
  budget: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'If more than this share of the pull requests by people of the last 30 days have a comment, new comments need conflicts in two files, a duplicate or raised risk; a little above it they end.',
    ),
  on_bots: boolean('Whether pull requests that bots opened get a comment too.'),
  agents: z
    .array(login)
    .max(100)
    .describe(
      'Logins of coding agents, with or without `[bot]`, which do not count as bots. One account works for many people, so two of its pull requests are by the same author only if the same person is assigned to both.',
    ),
  bots: z
    .array(login)
    .max(100)
    .describe('Logins of bots whose accounts are users on GitHub, with or without `[bot]`.'),
}

const DEFAULT_COMMENT = {
  mode: 'on',
  min_severity: 'medium',
  draft_min_severity: 'high',
  audience: 'later',
  stale_after_days: 14,
  same_author: false,
  budget: 0.15,
  on_bots: false,
  agents: ['Copilot', 'copilot-swe-agent', 'devin-ai-integration', 'claude', 'google-labs-jules', 'cursor'],
  bots: [],
} satisfies z.output<z.ZodObject<typeof commentFields>>

function byNoiseClass<Value extends z.ZodType>(value: Value) {
  const fields = Object.fromEntries(NOISE_CLASSES.map((noise) => [noise, value]))
  return z.strictObject(fields as Record<NoiseClass, Value>).partial()
}

const YEAR_MS = 31_536_000_000
const duration = z.int().min(1000).max(YEAR_MS)

export const Settings = object('Settings', {
  activity_ttl_ms: duration
    .default(86_400_000)
    .describe('The time to live of an activity after its last heartbeat.'),
  max_activity_ttl_ms: duration
    .nullable()
    .default(null)
    .describe('The longest time to live of an activity, heartbeats included; null: no limit.'),
  notable_ttl_ms: duration.default(604_800_000).describe('The time to live of a notable.'),
  pr_reminder_after_ms: duration
    .default(7_200_000)
    .describe('The time after which an activity without a pull request gets a reminder.'),
  disabled_categories: z
    .array(z.enum(NOTABLE_CATEGORIES))
    .default([])
    .describe('Categories that notables of this repository cannot have.'),
  areas: z
    .record(label, paths)
    .refine((areas) => Object.keys(areas).length <= 100, { error: 'must contain at most 100 areas' })
    .superRefine(checkNames)
    .default({})
    .describe('The globs of each area, by label.'),
  ignore_paths: paths
    .default([])
    .describe('Plain paths and changed files that match one of these globs are not compared.'),
  noise_paths: byNoiseClass(paths.describe('Globs of further files of the class.'))
    .default({})
    .describe(
      'Globs of further noise, by class. Conflicts in such files are mechanical, so plain paths and changed files that are noise are not compared.',
    ),
  number_directories: z
    .record(glob, boolean('Whether the files of the directory are numbered.'))
    .refine((globs) => Object.keys(globs).length <= 100, { error: 'must contain at most 100 globs' })
    .default({})
    .describe(
      'Globs of directories whose files are numbered, or are not. By default, those are numbered whose name, or the name of the directory above, is that of migrations, decision records or proposals. The longest glob that matches counts.',
    ),
  noise_classes: byNoiseClass(boolean('Whether the class is on.'))
    .default({})
    .describe('Switches classes of noise off. Each is on unless it is `false`.'),
  track_pull_requests: boolean('Whether a pull request without an activity gets one.').default(true),
  track_branches: paths
    .default(TRACKED_BRANCHES)
    .describe(
      'A pushed branch that one of these globs matches gets an activity until it has a pull request; `[]`: none.',
    ),
  comment: z.strictObject(commentFields).default(DEFAULT_COMMENT).describe('The comment on a pull request.'),
  notify_url: httpsUrl
    .refine(isOnInternet, { error: 'must have the name of a host on the internet, and no user or password' })
    .nullable()
    .default(null)
    .describe('Where notifications about the repository are posted too; an answer shows its origin only.'),
  check_run: z.boolean().default(false).describe('Whether pull requests get a check run beside the comment.'),
})
export type Settings = z.output<typeof Settings>

/** What a name leads to is decided when it is called. An address, or a name of a local network, is never meant. */
function isOnInternet(url: string): boolean {
  const { hostname, username, password } = new URL(url)
  const isName = /\.[a-z][a-z0-9-]*$/.test(hostname) && !/\.(?:internal|local|localhost)$/.test(hostname)
  return isName && username + password === ''
}

export const DEFAULT_SETTINGS: Settings = Settings.parse({})

/** The settings in a file: all are optional. */
export const FileSettings = Settings.extend({
  comment: z
    .strictObject({ ...commentFields, mode: z.literal(['on', 'shadow', 'off', true, false]) })
    .partial(),
}).partial()

const repositoryNames = paths.refine((globs) => globs.every((glob) => !glob.includes('/')), {
  error: 'must be names of repositories without their owner, such as `shop-*`',
})

/** The settings in the file of an organisation (docs/contract/settings.md#an-organisation). */
export const OrganisationSettings = FileSettings.extend({
  repositories: z.strictObject({ include: repositoryNames, exclude: repositoryNames }).partial().optional(),
})
/** The settings in any file. Only that of an organisation has `repositories`. */
export type FileSettings = Partial<z.output<typeof OrganisationSettings>>

/** Where a value comes from. */
const SOURCES = ['default', 'organisation', 'repository', 'farewell', 'watched', 'read_only'] as const
export type SettingsSource = (typeof SOURCES)[number]

/** Reports labels that differ only in case: they would be one area. */
function checkNames(areas: Record<string, string[]>, context: z.RefinementCtx): void {
  const seen = new Map<string, string>()
  for (const name of Object.keys(areas)) {
    const other = seen.get(labelKey(name))
    if (other !== undefined) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `duplicates the area ${other}; keep one of them`,
      })
    }
    seen.set(labelKey(name), name)
  }
}

export const SettingsProblem = object('SettingsProblem', {
  line: z.int().nullable().describe('The line of the file, counted from 1; null if unknown.'),
  key: textOrNull('The key, such as `comment.min_severity`.'),
  message: sample('What is wrong and how to fix it.', 'must be one of on, shadow, off'),
})
export type SettingsProblem = z.output<typeof SettingsProblem>

/** The effective settings, their source, the problems of the file, and what the caller may do in the repository. */
export const SettingsView = Settings.extend({
  source: z
    .enum(['defaults', 'file'])
    .describe(
      '`file`: `.github/deconflict.yml` of the default branch. `defaults`: there is no valid file yet; `areas` may still come from `.github/labeler.yml`.',
    ),
  errors: z
    .array(SettingsProblem)
    .describe('The problems of the file. If there are any, the last valid values stay in force.'),
  sources: z
    .record(z.string(), z.enum(SOURCES))
    .describe(
      'Where the value of each key comes from, such as `comment.mode`: the settings file of the repository or its `.github/labeler.yml`, the settings file in the `.github` repository of its owner, that the repository was left, that it is watched without the App, that the App may only read, or the defaults.',
    ),
  is_left_out: boolean(
    'Whether `repositories` in the settings of the organisation leaves the repository out, so that nothing is posted.',
  ),
  may_write: boolean('Whether the token of this request may create and change records.'),
  is_tracked: boolean('Whether the pull requests of the repository are tracked.'),
  importing: object('ImportProgress', {
    done: count('Open pull requests that were read.'),
    left: count('Open pull requests that are still to be read.'),
  })
    .nullable()
    .describe('How far the import of open pull requests is; null while there is none.'),
  may_administer: boolean('Whether it may administer the repository, and so leave it.'),
})
