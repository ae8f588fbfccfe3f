/** Validates responses against the OpenAPI document of the service. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { openApiDocument } from '../../src/server/doors/http/openapi.ts'

type Check = (method: string, pathname: string, status: number, body: unknown) => void

let check: Check | undefined

/** Throws if a response does not match the schema of its operation and status. Ignores unknown paths. */
export function answerValidator(): Check {
  check ??= compileCheck()
  return check
}

function compileCheck(): Check {
  const document = openApiDocument('/api/v1')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'document')
  const routes = Object.keys(document.paths ?? {}).map((path) => ({
    path,
    pattern: new RegExp(`^/(?:api/)?v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  return (method, pathname, status, body) => {
    // The literal path of a check comes before the one with an id, which its name would fit.
    const route = routes
      .filter(({ pattern }) => pattern.test(pathname))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
    if (!route || method === 'HEAD') return
    const name = method.toLowerCase()
    const operations = (document.paths?.[route.path] ?? {}) as Record<string, unknown>
    const pointer = operations[name]
      ? `document#/paths/${pointerOf(route.path)}/${name}/responses/${status}/content/application~1json/schema`
      : 'document#/components/schemas/Error'
    const validate = ajv.getSchema(pointer)
    if (!validate) throw new Error(`OpenAPI does not know ${method} ${route.path} answering ${status}`)
    if (!validate(body))
      throw new Error(`OpenAPI and ${method} ${route.path} ${status}: ${ajv.errorsText(validate.errors)}`)
  }
}

function pointerOf(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
}
