/** Scopes and settings in which much meets, for property tests of overlap. */
import fc from 'fast-check'
import { DEFAULT_SETTINGS, type Settings } from '../../src/context/settings.ts'
import type { ChangedFile } from '../../src/lines/change.ts'
import { paths } from '../../src/scope/scope.ts'

/** Objects as they come out of JSON. */
export function record<Values extends object>(
  model: {
    [Name in keyof Values]: fc.Arbitrary<Values[Name]>
  },
) {
  return fc.record<Values>(model, { noNullPrototype: true })
}

const name = fc.constantFrom(
  'a',
  'b',
  'a',
  'b',
  'ab',
  'x.ts',
  'yarn.lock',
  'vendor',
  '(a)',
  'ä',
  'l'.repeat(190),
)
const wild = fc.constantFrom(
  '*',
  '**',
  'a*',
  '*.ts',
  '?',
  '[ab]',
  '{a,b}',
  '{a,b/**,*b}',
  '{a..j}',
  '*.lock',
  '\\*',
)
const globs = fc
  .array(fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: wild }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((segments) => segments.join('/'))
  .filter(isGlob)

function isGlob(text: string): boolean {
  return paths.safeParse([text]).success
}

export const labels = fc.constantFrom('pay', 'Pay', 'till', 'docs', 'Ünit')
export const scopes = record({
  areas: fc.uniqueArray(labels, { maxLength: 2, selector: (label) => label.toLowerCase() }),
  paths: fc.uniqueArray(globs, { maxLength: 3 }),
})
/** Renamed now and then. Their names look like globs as well. */
export const changedFiles = record<ChangedFile>({
  path: globs,
  previous_path: fc.option(globs, { freq: 2 }),
  status: fc.constant('modified'),
  blob_sha: fc.constant(null),
})
export const settings = record<Pick<Settings, 'areas' | 'ignore_paths'>>({
  areas: fc.oneof(
    fc.constant({}),
    fc.array(globs, { minLength: 1, maxLength: 2 }).map((till) => ({ till, Docs: ['a/**', 'yarn.lock'] })),
  ),
  ignore_paths: fc.oneof(fc.constant(DEFAULT_SETTINGS.ignore_paths), fc.array(globs, { maxLength: 2 })),
})
export const risk = fc.constantFrom('low', 'medium', 'high', 'critical')
