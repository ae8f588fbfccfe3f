/** The settings of a repository, with their defaults and limits (contract §8). */
import { z } from 'zod'
import { label, labelKey, paths } from '../scope/scope.ts'

export const NOTABLE_CATEGORIES = [
  'architecture',
  'process',
  'pattern',
  'warning',
  'migration',
  'testing',
  'security',
  'dependency',
  'api-contract',
  'temporary-workaround',
  'deprecation',
  'release',
] as const

/** Changes to these are made by tools, so that two works touching one say nothing about a conflict worth a warning. */
const IGNORED_PATHS = [
  '**/package-lock.json',
  '**/npm-shrinkwrap.json',
  '**/yarn.lock',
  '**/pnpm-lock.yaml',
  '**/bun.lock',
  '**/bun.lockb',
  '**/deno.lock',
  '**/Cargo.lock',
  '**/go.sum',
  '**/go.work.sum',
  '**/Gemfile.lock',
  '**/composer.lock',
  '**/poetry.lock',
  '**/pdm.lock',
  '**/uv.lock',
  '**/Pipfile.lock',
  '**/mix.lock',
  '**/pubspec.lock',
  '**/Podfile.lock',
  '**/Package.resolved',
  '**/packages.lock.json',
  '**/gradle.lockfile',
  '**/flake.lock',
  '**/.terraform.lock.hcl',
  '**/node_modules',
  '**/vendor',
  '**/third_party',
  '**/__generated__',
  '**/*.generated.*',
  '**/*.min.js',
  '**/*.min.css',
  '**/*.pb.go',
  '**/*_pb2.py',
]

const SEVERITIES = ['low', 'medium', 'high'] as const

const commentFields = {
  mode: z.enum(['on', 'off']).meta({ description: 'Whether pull requests get a comment.' }),
  min_severity: z.enum(SEVERITIES).meta({ description: 'The lowest severity that is shown.' }),
  draft_min_severity: z
    .enum(SEVERITIES)
    .meta({ description: 'The lowest severity that is shown while the pull request is a draft.' }),
  on_bots: z.boolean().meta({ description: 'Whether pull requests that bots opened get a comment too.' }),
}

const DEFAULT_COMMENT = {
  mode: 'on',
  min_severity: 'medium',
  draft_min_severity: 'high',
  on_bots: false,
} as const

const YEAR_MS = 31_536_000_000
const duration = z.int().min(1000).max(YEAR_MS)

export const Settings = z
  .strictObject({
    activity_ttl_ms: duration
      .default(86_400_000)
      .meta({ description: 'How long an activity lives after its last sign of life.' }),
    max_activity_ttl_ms: duration
      .nullable()
      .default(null)
      .meta({ description: 'How long an activity lives at most; null: no limit.' }),
    notable_ttl_ms: duration.default(604_800_000).meta({ description: 'How long a notable lives.' }),
    pr_reminder_after_ms: duration
      .default(7_200_000)
      .meta({ description: 'After this time a branch without a pull request is due for a reminder.' }),
    disabled_categories: z
      .array(z.enum(NOTABLE_CATEGORIES))
      .default([])
      .meta({ description: 'Categories that notables of this repository may not have.' }),
    areas: z
      .record(label, paths)
      .refine((areas) => Object.keys(areas).length <= 100, { error: 'must hold at most 100 areas' })
      .superRefine(checkNames)
      .default({})
      .meta({ description: 'Area label → the globs that it stands for.' }),
    ignore_paths: paths
      .default(IGNORED_PATHS)
      .meta({ description: 'Plain paths that one of these globs matches take no part in the comparison.' }),
    track_pull_requests: z
      .boolean()
      .default(true)
      .meta({ description: 'Whether a pull request without an activity becomes one.' }),
    comment: z
      .strictObject(commentFields)
      .default(DEFAULT_COMMENT)
      .meta({ description: 'The comment on a pull request.' }),
    check_run: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether pull requests get a check run beside the comment.' }),
  })
  .meta({ id: 'Settings' })
export type Settings = z.output<typeof Settings>

export const DEFAULT_SETTINGS: Settings = Settings.parse({})

/** The settings as a file may spell them: any of them, and in forms of earlier versions. */
export const FileSettings = Settings.extend({
  comment: z
    .strictObject({
      ...commentFields,
      mode: z.literal(['on', 'off', true, false]),
      /** Before `mode`. */
      enabled: z.boolean(),
    })
    .partial(),
  /** Before `comment.on_bots`. */
  comment_on_bots: z.boolean(),
}).partial()
export type FileSettings = Partial<z.output<typeof FileSettings>>

/** The effective settings where a file sets `given`. */
export function settingsOf({ comment = {}, comment_on_bots, ...others }: FileSettings): Settings {
  const { enabled, mode = enabled, ...fields } = comment
  return {
    ...DEFAULT_SETTINGS,
    ...others,
    comment: {
      ...DEFAULT_COMMENT,
      ...(comment_on_bots !== undefined && { on_bots: comment_on_bots }),
      ...fields,
      ...(mode !== undefined && { mode: mode === true || mode === 'on' ? 'on' : 'off' }),
    },
  }
}

/** Two names of one area would hide each other's globs. */
function checkNames(areas: Record<string, string[]>, context: z.RefinementCtx): void {
  const seen = new Map<string, string>()
  for (const name of Object.keys(areas)) {
    const other = seen.get(labelKey(name))
    if (other !== undefined) {
      context.addIssue({ code: 'custom', path: [name], message: `is the area ${other} again; keep one` })
    }
    seen.set(labelKey(name), name)
  }
}

/** One thing that is wrong with the repository's settings file. */
export const SettingsProblem = z
  .strictObject({
    line: z
      .int()
      .nullable()
      .meta({ description: 'The line of the file, counted from 1, where it can be told.' }),
    key: z.string().nullable().meta({ description: 'The key, such as `comment.min_severity`.' }),
    message: z.string().meta({ description: 'What is wrong, and what to do.' }),
  })
  .meta({ id: 'SettingsProblem' })
export type SettingsProblem = z.output<typeof SettingsProblem>

/** The effective settings, where they come from, and what was wrong with the file. */
export const SettingsView = Settings.extend({
  source: z.enum(['defaults', 'file']).meta({
    description:
      '`file`: `.github/deconflict.yml` of the default branch. `defaults`: there is none, or none yet that is right; `areas` may be those of `.github/labeler.yml` all the same.',
  }),
  errors: z
    .array(SettingsProblem)
    .meta({ description: 'What was wrong with the file; the last good values stay in force.' }),
}).meta({ id: 'SettingsView' })
export type SettingsView = z.output<typeof SettingsView>
