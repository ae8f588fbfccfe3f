/**
 * Cuts the schemas of the routes and deliveries in use out of GitHub's published descriptions of its REST API and its
 * webhooks, and validates the queries in use against its GraphQL schema. These are too large for a dependency: downloads them
 * from npm into a temporary directory, and writes test/fixtures/github-schemas.json.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HANDLED } from '../src/server/doors/webhooks/github-events.ts'
import { calledQueries, calledRoutes } from '../test/support/called-routes.ts'
import { SERVED_ROUTES } from '../test/support/github-answers.ts'
import {
  describedRoute,
  type GithubSchemas,
  PLATFORMS,
  SCHEMAS_FILE,
  type Schema,
} from '../test/support/github-schemas.ts'
import { type Description, schemaReader } from './github-schemas/schema-reader.ts'
import { withShared } from './github-schemas/shared-schemas.ts'

const sources = [
  '@octokit/openapi@23.0.2',
  '@octokit/openapi-webhooks@12.1.0',
  '@octokit/graphql-schema@15.26.1',
]
const FILES = {
  'github.com': 'generated/api.github.com.json',
  'Enterprise Server 3.19': 'generated/ghes-3.19.json',
}

/** Events that the service receives, and `create`, which it must ignore. */
const EVENTS: string[] = [...HANDLED, 'create']
const ROUTES = [...calledRoutes(), ...SERVED_ROUTES]

const directory = mkdtempSync(join(tmpdir(), 'github-schemas-'))
const packages = join(directory, 'node_modules/@octokit')
try {
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--prefix', directory, ...sources])
  const read = (name: string, file: string) => JSON.parse(readFileSync(join(packages, name, file), 'utf8'))
  const platforms = Object.fromEntries(
    PLATFORMS.map((platform) => [
      platform,
      {
        responses: responsesOf(read('openapi', FILES[platform])),
        deliveries: deliveriesOf(read('openapi-webhooks', FILES[platform])),
      },
    ]),
  ) as GithubSchemas['platforms']
  const made_by = 'npm run github-schemas'
  const schemas = {
    made_by,
    sources,
    queries: await validQueries(),
    ...withShared(platforms),
  } satisfies GithubSchemas
  writeFileSync(SCHEMAS_FILE, `${lines(schemas)}\n`)
} finally {
  rmSync(directory, { recursive: true })
}

async function validQueries(): Promise<string[]> {
  const { validate } = await import(join(packages, 'graphql-schema/index.js'))
  const queries = calledQueries()
  const problems = queries.flatMap((query) => validate(query))
  if (problems.length > 0) throw new Error(`GitHub does not allow a query: ${problems.join(' ')}`)
  return queries
}

function responsesOf(description: Description) {
  const { paths = {} } = description
  const schemaOf = schemaReader(description)
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const used = new Set(ROUTES.map((route) => describedRoute(all, route) ?? missing(route)))
  return Object.fromEntries(
    [...used].sort().map((route) => {
      const [method = '', path = ''] = route.split(' ')
      const responses = Object.entries(paths[path]?.[method.toLowerCase()]?.responses ?? {})
      return [route, Object.fromEntries(responses.map(([status, response]) => [status, schemaOf(response)]))]
    }),
  )
}

function deliveriesOf(description: Description) {
  const schemaOf = schemaReader(description)
  const used = Object.values(description.webhooks ?? {}).flatMap(({ post }) => {
    const event = post.externalDocs.url.split('#')[1] as string
    const schema = schemaOf(post.requestBody)
    const action = (schema?.properties as Record<string, Schema> | undefined)?.action?.enum as [string]
    return EVENTS.includes(event) ? [[action ? `${event}.${action[0]}` : event, schema]] : []
  })
  return Object.fromEntries(used.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)))
}

function missing(route: string): never {
  throw new Error(`GitHub does not describe ${route}`)
}

/** One line for each route, delivery and shared schema. */
function lines({ platforms, $defs, ...rest }: GithubSchemas): string {
  const block = (of: object, depth: string) => {
    const entries = Object.entries(of).map(
      ([key, value]) => `${depth} ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
    )
    return `{\n${entries.join(',\n')}\n${depth}}`
  }
  const each = Object.entries(platforms).map(
    ([name, { responses, deliveries }]) =>
      `  ${JSON.stringify(name)}: {\n   "responses": ${block(responses, '   ')},\n   "deliveries": ${block(deliveries, '   ')}\n  }`,
  )
  const head = JSON.stringify(rest, null, 1).replace(/\n\}$/, '')
  return `${head},\n "platforms": {\n${each.join(',\n')}\n },\n "$defs": ${block($defs, ' ')}\n}`
}
