/** Validates responses and deliveries against GitHub's published descriptions of its API, cut by `npm run github-schemas`. */
import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import formats from 'ajv-formats'

export type Platform = keyof GithubSchemas['platforms']
export const PLATFORMS = ['github.com', 'Enterprise Server 3.19'] as const

export const API_URLS: Record<Platform, string> = {
  'github.com': 'https://api.github.com',
  'Enterprise Server 3.19': 'https://github.example.com/api/v3',
}

export type Schema = Record<string, unknown>

/** A schema is a JSON Schema, or a reference into `$defs`, which the platforms share. */
export interface GithubSchemas {
  made_by: string
  /** npm packages with their versions. */
  sources: string[]
  /** The queries that GitHub's GraphQL schema allows. */
  queries: string[]
  platforms: Record<
    (typeof PLATFORMS)[number],
    {
      /** `GET /repos/{owner}/{repo}` → status → schema; null for a response without a body. */
      responses: Record<string, Record<string, Schema | null>>
      /** `pull_request.opened`, `push` → schema. */
      deliveries: Record<string, Schema>
    }
  >
  $defs: Record<string, Schema>
}

export const SCHEMAS_FILE = new URL('../fixtures/github-schemas.json', import.meta.url)

/** Parameters that may contain slashes. */
const WITH_SLASHES = ['basehead', 'branch', 'path', 'ref']

/** The route that fits a method and path, or the template of another route; the one with the fewest parameters. */
export function describedRoute(routes: string[], request: string): string | undefined {
  const pattern = (route: string) =>
    route.replaceAll(/\{(\w+)\}/g, (_, name) => (WITH_SLASHES.includes(name) ? '.+' : '[^/]+'))
  const parameters = (route: string) => route.split('{').length
  return routes
    .filter((route) => new RegExp(`^${pattern(route)}$`).test(request))
    .sort((one, other) => parameters(one) - parameters(other) || other.length - one.length)[0]
}

/** GitHub describes few of the errors that every route has, and none with 429. All have this format. */
const ANY_ERROR = ['GET /user', 401] as const

/** Where the descriptions are known to be wrong. `of` is a route or a delivery. */
export const EXCEPTIONS: { of: RegExp; problem: RegExp; reason: string }[] = [
  {
    of: /^(GET .*\/pulls|pull_request\.)/,
    problem: /\/head\/repo must be object$/,
    reason: 'The repository of the head is null after its fork was deleted.',
  },
  {
    of: /^GET .*\/pulls$/,
    problem: /\/labels\/\d+\/description must be string$/,
    reason: 'A label without a description has null, as the description of a single pull request says.',
  },
]

export type GithubJudge = ReturnType<typeof judgeOf>

const judges = new Map<Platform, GithubJudge>()

export function githubJudge(platform: Platform): GithubJudge {
  const known = judges.get(platform) ?? judgeOf(platform)
  judges.set(platform, known)
  return known
}

function judgeOf(platform: Platform) {
  const { platforms, queries, $defs } = JSON.parse(readFileSync(SCHEMAS_FILE, 'utf8')) as GithubSchemas
  const { responses, deliveries } = platforms[platform]
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false })
  formats.default(ajv)
  ajv.addSchema({ $id: 'github', $defs, responses, deliveries })
  const excused = new Set<(typeof EXCEPTIONS)[number]>()
  const problems = (pointer: string[], value: unknown) => {
    const validate = ajv.getSchema(`github#${pointer.map((part) => `/${escaped(part)}`).join('')}`)
    if (!validate) throw new Error(`no schema ${pointer.join(' ')} of ${platform}`)
    const found = validate(value) ? [] : (validate.errors ?? []).map(sentence)
    return found.filter((problem) => {
      const exception = EXCEPTIONS.find(
        (each) => each.of.test(pointer[1] ?? '') && each.problem.test(problem),
      )
      if (exception) excused.add(exception)
      return !exception
    })
  }
  return {
    /** The routes that the platform describes. */
    routes: Object.keys(responses),
    queries,
    /** The deliveries that it describes: `pull_request.opened`. */
    deliveries: Object.keys(deliveries),
    /** The exceptions that occurred. */
    excused,
    /** Each difference of a response: `/head/repo must be object`. `request` is a method and path: `GET /user`. */
    responseProblems(request: string, status: number, body: unknown): string[] {
      const route = describedRoute(Object.keys(responses), request)
      const described = route === undefined ? undefined : responses[route]
      if (!route || !described) return [`${platform} has no ${request}`]
      const isDescribed = status in described
      if (!isDescribed && status < 400) return [`${route} has no status ${status}`]
      const [like, likeStatus] = isDescribed ? [route, status] : ANY_ERROR
      if (described[status] !== null) return problems(['responses', like, String(likeStatus)], body)
      return body === undefined ? [] : [`${route} has no body with status ${status}`]
    },
    deliveryProblems(event: string, payload: Schema): string[] {
      const name = payload.action === undefined ? event : `${event}.${payload.action}`
      return name in deliveries ? problems(['deliveries', name], payload) : [`${platform} has no ${name}`]
    },
  }
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const { allowedValues } = params as { allowedValues?: unknown[] }
  return `${instancePath} ${message}${allowedValues ? `: ${allowedValues.join(', ')}` : ''}`.trim()
}
