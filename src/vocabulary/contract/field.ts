/** Values that several fields share: schemas with their limits, and ids of records, which are TypeIDs: a prefix and 26 characters of a time-ordered UUIDv7. */
import { fromUUID } from 'typeid-js'
import { z } from 'zod'

const NUL = '\u0000'

/** Text of `min` to `max` Unicode code points, counted after what `base` does, such as trimming. */
export function text(min: number, max: number, base: z.ZodString = z.string()) {
  return base
    .refine((value) => !value.includes(NUL), { error: 'must not contain a NUL character', abort: true })
    .refine((value) => value.isWellFormed(), { error: 'must not contain an unpaired surrogate', abort: true })
    .refine((value) => hasLength(value, min, max), { error: `must have ${min} to ${max} characters` })
    .meta({ minLength: min, maxLength: max })
}

function hasLength(value: string, min: number, max: number): boolean {
  if (value.length > 2 * max) return false
  if (value.length >= 2 * min && value.length <= max) return true
  const count = [...value].length
  return count >= min && count <= max
}

/** A branch name that git accepts, without the ref that `prefix` matches. */
const branchWithout = (prefix: RegExp) =>
  text(1, 255)
    .overwrite((name) => name.replace(prefix, ''))
    .refine(isRefName, { error: 'must be a valid git branch name (see git check-ref-format)' })

const HEADS = /^refs\/heads\//

/** `refs/heads/main` is the branch `main`. */
export const branchName = branchWithout(HEADS)

/** The branch of an activity, as a list filters by it: that of a fork is `owner:branch`. */
export const listedBranch = text(1, 255).overwrite((name) => name.replace(HEADS, ''))

/** The branch that work is based on. A clone calls `main` on GitHub `origin/main`. */
export const baseBranchName = branchWithout(/^(?:refs\/heads\/|(?:refs\/remotes\/)?origin\/)/)

/** Whether `name` is valid below `refs/heads/`, by the rules of git-check-ref-format(1). */
export function isRefName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids control characters, so the pattern names them
  if (name === '@' || /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\.$/.test(name)) return false
  return name.split('/').every((each) => each !== '' && !each.startsWith('.') && !each.endsWith('.lock'))
}

/** An ISO 8601 timestamp with an offset, parsed into a Date. */
export const timestamp = z.iso
  .datetime({
    offset: true,
    error: 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z',
  })
  .refine(hasFourDigitYear, { error: 'must be in the years 0001 to 9999, in UTC' })
  .transform((value) => new Date(value))

/** An offset can move a timestamp into year 0 or 10000, which the output format cannot represent. */
function hasFourDigitYear(value: string): boolean {
  const year = new Date(value).getUTCFullYear()
  return year >= 1 && year <= 9999
}

export const httpsUrl = text(1, 2048)
  .refine((value) => isHttpsUrl(value), { error: 'must be an absolute https: URL' })
  .meta({ format: 'uri' })

function isHttpsUrl(value: string): boolean {
  return /^https:\/\/[^/\s]/i.test(value) && URL.canParse(value) && !/\s/.test(value)
}

export function wholeNumber({ min, max, preset }: { min: number; max: number; preset: number }) {
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .default(preset)
    .meta({ override: { type: 'integer', minimum: min, maximum: max, default: preset } })
}

/** A timestamp in a response: `2026-01-31T09:30:00.000Z`. */
export const outputTimestamp = z.iso.datetime({ precision: 3 })

/** An object without further fields. `id`: its name in the OpenAPI document. */
export function object<Shape extends z.ZodRawShape>(id: string, shape: Shape, description?: string) {
  return z.strictObject(shape).meta({ id, ...(description && { description }) })
}

/** Fields of a response, by their descriptions. */
export const boolean = (description: string) => z.boolean().describe(description)
/** A field that is left out where it is not true. */
export const onlyTrue = (description: string) => z.literal(true).optional().describe(description)
export const integer = (description: string) => z.int().describe(description)
export const count = (description: string) => z.int().min(0).describe(description)
export const numberOrNull = (description: string) => z.number().nullable().describe(description)
export const texts = (description: string) => z.array(z.string()).describe(description)
/** The documentation of a field. */
export const about = (description: string, example: unknown) => ({ description, examples: [example] })
/** A text in a response, such as `example`. */
export const sample = (description: string, example: string) => z.string().meta(about(description, example))
export const textOrNull = (description: string) => z.string().nullable().describe(description)
export const timestampOrNull = (description: string) => outputTimestamp.nullable().describe(description)

export type IdPrefix = 'act' | 'ntb'

let last = 0n

/** A new id of a record such as `act_01h455vb4pex5vsknk084sn02q`; ids that one process creates later sort after earlier ones. */
export function newId(prefix: IdPrefix, now: Date): string {
  const at = BigInt(now.getTime()) << 12n
  last = at > last ? at : last + 1n
  const time = last.toString(16).padStart(15, '0')
  return idOfBytes(
    prefix,
    `${time.slice(0, 12)}7${time.slice(12)}${crypto.randomUUID().slice(19).replace('-', '')}`,
  )
}

/** `hex`: 16 bytes, of which the first six are the time in milliseconds. */
export function idOfBytes(prefix: IdPrefix, hex: string): string {
  return fromUUID(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), prefix)
}

/** Whether `value` has the format of an id with this prefix. The first base32 character is at most 7: a UUID has 128 bits, not 130. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(value)
}
