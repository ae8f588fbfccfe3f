/** Parses input with a schema; a failure names the field, the problem and the fix. */
import { closest, distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { Failure } from '../failure.ts'

type Path = readonly PropertyKey[]
type Issue = z.core.$ZodIssue

/** `params` of a refinement whose failure is a malformed request (400) instead of an invalid value (422). */
export const MALFORMED = { is_malformed: true }

type Noun = 'field' | 'parameter' | 'key'

/** The maximum number of unknown or missing names that are described: a body may have 100,000. */
const NAMED_MAX = 20

/** One error in the input. */
export interface Problem {
  kind: 'invalid_request' | 'validation_error'
  path: Path
  /** `path` as text, such as `scope.paths[3]`; empty for the whole input. */
  param: string
  /** Starts with `param`. */
  message: string
  is_missing?: boolean
}

/**
 * Parses `raw` with `schema`. Throws `invalid_request` for an unknown name, a missing field or malformed input, and
 * `validation_error` for an invalid value. `noun` names an entry in messages: `field` of a body, `parameter` of a query.
 */
export function parse<Schema extends z.ZodType>(schema: Schema, raw: unknown, noun: Noun): z.output<Schema> {
  const parsed = schema.safeParse(raw)
  if (parsed.success) return parsed.data
  // The first is reported, and a suggestion takes time.
  const problems = describeProblems(schema, raw, { error: parsed.error, noun, unknown_max: 1 })
  const [first] = problems
  if (!first) throw new Error('zod rejected a value without an issue')
  const missing = problems.filter(({ is_missing }) => is_missing).map(({ param }) => param)
  if (first.is_missing) throw missingFields(missing.slice(0, NAMED_MAX), noun)
  throw new Failure(first.kind, first.message, { param: first.param || undefined })
}

/** All of them, because whoever sends the first then learns of the next. */
export function missingFields(params: readonly string[], noun: Noun = 'field'): Failure {
  const message = params.map((param) => `${param}: this ${noun} is required`).join('; ')
  return new Failure('invalid_request', message, { param: params[0] })
}

/**
 * All errors in `raw`, the most useful first: unknown names (a misspelt name is often why another field is missing), then
 * missing fields, malformed values, invalid values.
 */
export function describeProblems(
  schema: z.ZodType,
  raw: unknown,
  { error, noun, unknown_max = NAMED_MAX }: { error: z.ZodError; noun: Noun; unknown_max?: number },
): Problem[] {
  const unknown = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((name) => ({ at: issue.path, name })) : [],
  )
  const others = error.issues.filter((issue) => issue.code !== 'unrecognized_keys')
  const isMissing = ({ path }: Issue) => path.length > 0 && valueAt(raw, path) === undefined
  const present = others.filter((issue) => !isMissing(issue))
  return [
    ...unknown.slice(0, unknown_max).map(({ at, name }) => unknownName(schema, at, { name, noun })),
    ...others.filter(isMissing).map(({ path }) => missingName(path, noun)),
    ...[...present.filter(isMalformed), ...present.filter((issue) => !isMalformed(issue))].map((issue) =>
      wrongValue(issue, raw, noun),
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
  const within = known.find((each) => namesAt(schema, [...at, each]).includes(name))
  const near = within === undefined ? nearest(name, known) : `${within}.${name}`
  const advice = near
    ? `did you mean ${near}?`
    : known.length > 0
      ? `known: ${known.join(', ')}`
      : 'none is accepted here'
  return { kind: 'invalid_request', path, param, message: `${param}: unknown ${noun}; ${advice}` }
}

function missingName(path: Path, noun: Noun): Problem {
  const param = formatPath(path)
  const { message } = missingFields([param], noun)
  return { kind: 'invalid_request', path, param, message, is_missing: true }
}

function wrongValue(issue: Issue, raw: unknown, noun: Noun): Problem {
  const param = formatPath(issue.path)
  const value = valueAt(raw, issue.path)
  const isRepeated = noun === 'parameter' && Array.isArray(value)
  return {
    kind: isMalformed(issue) ? 'invalid_request' : 'validation_error',
    path: issue.path,
    param,
    message: `${param || 'body'}: ${isRepeated ? 'may be given only once' : describe(issue, value)}`,
  }
}

/** The known name that `name` is most likely a misspelling of; undefined when none is similar. */
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
      // Query parameters are always text, so "not a string" would be misleading.
      if ('received' in issue && issue.received === 'NaN') return 'must be a number'
      if (issue.expected === 'int' && Number.isFinite(value)) return 'must be a whole number'
      return `must be ${withArticle(issue.expected)}, not ${nameOfType(value)}`
    case 'invalid_key':
      return `its name ${issue.issues[0]?.message ?? 'is not accepted here'}`
    case 'invalid_value': {
      const allowed = issue.values.map(String)
      const near = typeof value === 'string' ? nearest(value, allowed) : undefined
      return `must be one of ${allowed.join(', ')}${near ? `; did you mean ${near}?` : ''}`
    }
    case 'too_big':
      return `must ${describeAmount(issue.origin, `at most ${issue.maximum}`)}`
    case 'too_small':
      return `must ${describeAmount(issue.origin, `at least ${issue.minimum}`)}`
    default:
      return issue.message
  }
}

function describeAmount(origin: string, bound: string): string {
  return origin === 'number' || origin === 'int' ? `be ${bound}` : `contain ${bound} items`
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

/** `['scope', 'paths', 3]` → `scope.paths[3]`. Names over 100 characters are truncated. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    const name = clip(String(key), 100)
    return text === '' ? name : `${text}.${name}`
  }, '')
}

function clip(name: string, max: number): string {
  return name.length > max ? `${name.slice(0, max)}…` : name
}

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
