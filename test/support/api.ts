/** Calls of the API over HTTP, to a service in this process or another one; every response is validated against OpenAPI. */
import { answerValidator } from './openapi.ts'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

export interface RequestOptions {
  token?: string | null
  headers?: Record<string, string>
  /** A string or bytes are sent unchanged, everything else as JSON. */
  body?: unknown
}

/** `api('POST', '/activity', {body})`: below `/api/v1/repos/acme/shop`, unless the path begins with `/api/`, `/v1/` or names no resource. */
export type Api = (method: string, path: string, options?: RequestOptions) => Promise<Answer>

/** A client that checks each answer of an operation against the OpenAPI document. */
export function apiAt(url: string, token: string): Api {
  const check = answerValidator()
  return async (method, path, options = {}) => {
    const isWhole = /^\/(?:$|api\/|v1\/|healthz|readyz|metrics|mcp|docs|session)/.test(path)
    const address = `${url}${isWhole ? path : `/api/v1/repos/acme/shop${path}`}`
    const given = options.token === undefined ? token : options.token
    const isRaw = typeof options.body === 'string' || options.body instanceof Uint8Array
    const response = await fetch(address, {
      method,
      headers: {
        ...(given === null ? {} : { authorization: `Bearer ${given}` }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: isRaw ? (options.body as string) : JSON.stringify(options.body),
    })
    const text = await response.text()
    const body = text === '' ? null : JSON.parse(text)
    check(method, new URL(address).pathname, response.status, body)
    return { status: response.status, headers: response.headers, body }
  }
}

/** What most tests ask of activities, each in one call. */
export function activitiesBy(api: Api) {
  const activities = {
    /** An activity as a retrieval returns it. */
    read: async (id: string): Promise<Answer['body']> => (await api('GET', `/activity/${id}`)).body,
    /** The items of a list; `query` is such as `?status=archived`. */
    list: async (query = ''): Promise<Answer['body'][]> => (await api('GET', `/activity${query}`)).body.items,
    patch: (id: string, body: object) => api('PATCH', `/activity/${id}`, { body }),
    archive: (id: string) => api('POST', `/activity/${id}/archive`),
    /** The only live activity, as a retrieval returns it. */
    async only(): Promise<Answer['body']> {
      const [activity, ...others] = await activities.list()
      if (!activity || others.length > 0) throw new Error(`${others.length} others than ${activity?.id}`)
      return activities.read(activity.id)
    },
  }
  return activities
}

/** Posts one message to `/mcp`. */
export function postMcp(
  url: string,
  { method, params = {} }: { method: string; params?: object },
  headers: Record<string, string> = { authorization: 'Bearer ada' },
): Promise<Response> {
  const accept = 'application/json, text/event-stream'
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}
