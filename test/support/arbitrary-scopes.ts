/** Scopes and settings that often overlap, for property tests. */
import fc from 'fast-check'
import type { AttributeRule } from '../../src/engine/lines/noise.ts'
import { paths } from '../../src/vocabulary/contract/scope.ts'
import type { Settings } from '../../src/vocabulary/contract/settings.ts'

/** Objects as `JSON.parse` returns them. */
export function record<Values extends object>(
  model: {
    [Name in keyof Values]: fc.Arbitrary<Values[Name]>
  },
) {
  return fc.record<Values>(model, { noNullPrototype: true })
}

const name = fc.constantFrom(...'a b a b ab x.ts yarn.lock Vendor History (a) ä'.split(' '), 'l'.repeat(190))
const wild = fc.constantFrom(...'* ** a* *.ts ? [ab] {a,b} {a,b/**,*b} {a..j} *.lock \\*'.split(' '))
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
export type ComparedSettings = Pick<
  Settings,
  'areas' | 'ignore_paths' | 'noise_paths' | 'noise_classes' | 'number_directories'
>
export const settings = record<ComparedSettings>({
  areas: fc.oneof(
    fc.constant({}),
    fc.array(globs, { minLength: 1, maxLength: 2 }).map((till) => ({ till, Docs: ['a/**', 'yarn.lock'] })),
  ),
  ignore_paths: fc.oneof(fc.constant<string[]>([]), fc.array(globs, { maxLength: 2 })),
  noise_paths: fc.oneof(fc.constant({}), record({ snapshot: fc.array(globs, { maxLength: 2 }) })),
  number_directories: fc.constant({}),
  noise_classes: fc.constantFrom(
    {},
    { vendored: false, snapshot: true },
    { lock: false, changelog: false, snapshot: false },
  ),
})
export const noiseAttributes = fc.oneof(
  fc.constant<AttributeRule[]>([]),
  fc.array(
    record<AttributeRule>({
      glob: globs,
      says: fc.constantFrom<AttributeRule['says']>({ generated: true }, { vendored: false, changelog: null }),
    }),
    { maxLength: 3 },
  ),
)
export const risk = fc.constantFrom('low', 'medium', 'high', 'critical')
