/** Turns what a caller sent into typed input, or into a failure that names the field and what to do (specification §7, contract §3). */
import { closest, distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { Failure } from './failure.ts'

type Path = readonly PropertyKey[]
type Issue = z.core.$ZodIssue

/** For `params` of a rule whose breach makes a request malformed (400), where that of any other makes a value wrong (422). */
export const MALFORMED = { is_malformed: true }

type Noun = 'field' | 'parameter' | 'key'

/** One thing that is wrong with what was sent. */
export interface Problem {
  kind: 'invalid_request' | 'validation_error'
  path: Path
  /** `path` in the sender's own terms, such as `scope.paths[3]`; empty for the whole. */
  param: string
  /** Begins with `param`. */
  message: string
}

/**
 * Parses `raw` with `schema`. Throws `invalid_request` for an unknown name or a missing field, else `validation_error`
 * for a value that is there but wrong. `noun` is what one entry is called: `field` of a body, `parameter` of a query.
 */
export function parse<Schema extends z.ZodType>(schema: Schema, raw: unknown, noun: Noun): z.output<Schema> {
  const parsed = schema.safeParse(raw)
  if (parsed.success) return parsed.data
  const [first] = problemsOf(schema, raw, { error: parsed.error, noun })
  if (!first) throw new Error('zod refused a value and named no issue')
  throw new Failure(first.kind, first.message, { param: first.param || undefined })
}

/**
 * All that is wrong with `raw`, in the order in which it is worth telling: an unknown name goes first, because a misspelt
 * field is the reason that another is missing, then a missing one, and what is malformed before what is wrong.
 */
export function problemsOf(
  schema: z.ZodType,
  raw: unknown,
  { error, noun }: { error: z.ZodError; noun: Noun },
): Problem[] {
  const unknown = error.issues.filter((issue) => issue.code === 'unrecognized_keys')
  const others = error.issues.filter((issue) => issue.code !== 'unrecognized_keys')
  const isMissing = ({ path }: Issue) => path.length > 0 && valueAt(raw, path) === undefined
  const present = others.filter((issue) => !isMissing(issue))
  return [
    ...unknown.flatMap((issue) => issue.keys.map((name) => unknownName(schema, issue.path, { name, noun }))),
    ...others.filter(isMissing).map(({ path }) => missingName(path, noun)),
    ...[...present.filter(isMalformed), ...present.filter((issue) => !isMalformed(issue))].map((issue) =>
      wrongValue(issue, raw),
    ),
  ]
}

function isMalformed(issue: Issue): boolean {
  return issue.path.length === 0 || (issue.code === 'custom' && issue.params?.is_malformed === true)
}

function unknownName(schema: z.ZodType, at: Path, { name, noun }: { name: string; noun: Noun }): Problem {
  const path = [...at, name]
  const param = formatPath([...at, clip(name, 60)])
  const known = namesAt(schema, at)
  const near = nearest(name, known)
  const advice = near
    ? `did you mean ${near}?`
    : known.length > 0
      ? `known are ${known.join(', ')}`
      : `none is taken here`
  return { kind: 'invalid_request', path, param, message: `${param}: unknown ${noun}; ${advice}` }
}

function missingName(path: Path, noun: Noun): Problem {
  const param = formatPath(path)
  return {
    kind: 'invalid_request',
    path,
    param,
    message: `${param}: this ${noun} is required and is missing`,
  }
}

function wrongValue(issue: Issue, raw: unknown): Problem {
  const param = formatPath(issue.path)
  return {
    kind: isMalformed(issue) ? 'invalid_request' : 'validation_error',
    path: issue.path,
    param,
    message: `${param || 'body'}: ${describe(issue, valueAt(raw, issue.path))}`,
  }
}

/** The known name that `name` most likely stands for, or undefined where none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || name.length > 100) return undefined
  const lower = name.toLowerCase()
  const near = known.find((each) => each.startsWith(lower) || lower.startsWith(each)) ?? closest(lower, known)
  const isNear =
    near.startsWith(lower) || lower.startsWith(near) || distance(lower, near) <= Math.max(2, near.length / 3)
  return isNear && lower !== '' ? near : undefined
}

function describe(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      // In a query everything is text: that a number is spelt as text is not what is wrong with it.
      if ('received' in issue && issue.received === 'NaN') return 'must be a number'
      if (issue.expected === 'int' && Number.isFinite(value)) return 'must be a whole number'
      return `must be ${withArticle(issue.expected)}, not ${nameOfType(value)}`
    case 'invalid_key':
      return `its name ${issue.issues[0]?.message ?? 'is not taken here'}`
    case 'invalid_value': {
      const allowed = issue.values.map(String)
      const near = typeof value === 'string' ? nearest(value, allowed) : undefined
      return `must be one of ${allowed.join(', ')}${near ? `; did you mean ${near}?` : ''}`
    }
    case 'too_big':
      return `must ${sizeOf(issue.origin)} at most ${issue.maximum}`
    case 'too_small':
      return `must ${sizeOf(issue.origin)} at least ${issue.minimum}`
    default:
      return issue.message
  }
}

function sizeOf(origin: string): string {
  return origin === 'number' || origin === 'int' ? 'be' : 'hold'
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number'
  if (type === 'record') return 'an object'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function nameOfType(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number' && !Number.isFinite(value)) return 'infinity'
  if (Array.isArray(value)) return 'an array'
  return withArticle(typeof value)
}

function valueAt(raw: unknown, path: Path): unknown {
  let value = raw
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** `['scope', 'paths', 3]` is spelt `scope.paths[3]`; a name that is longer than any of ours is cut. */
export function formatPath(path: Path): string {
  return path.reduce<string>((spelt, key) => {
    if (typeof key === 'number') return `${spelt}[${key}]`
    const name = clip(String(key), 100)
    return spelt === '' ? name : `${spelt}.${name}`
  }, '')
}

function clip(name: string, max: number): string {
  return name.length > max ? `${name.slice(0, max)}…` : name
}

/** The field names that the schema knows at `path`. */
function namesAt(schema: z.ZodType, path: Path): string[] {
  let at = unwrap(schema)
  for (const key of path) {
    if (at instanceof z.ZodObject) at = unwrap((at.shape as Record<string, z.ZodType>)[String(key)])
    else if (at instanceof z.ZodArray) at = unwrap(at.element as z.ZodType)
    else return []
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  let inner = schema
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPipe
  ) {
    inner = (inner instanceof z.ZodPipe ? inner.in : inner.unwrap()) as z.ZodType
  }
  return inner
}
