/** A collector of spans on loopback that accepts OTLP over HTTP as JSON. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface CollectedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  /** 2 server, 3 client, 5 consumer, 1 internal. */
  kind: number
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  service: string
}

export interface OtlpCollector {
  url: string
  /** All received requests. */
  requests: string[]
  spans: CollectedSpan[]
  close(): Promise<void>
}

interface Attribute {
  key: string
  // biome-ignore lint/suspicious/noExplicitAny: OTLP names the type of each value
  value: any
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const requests: string[] = []
  const spans: CollectedSpan[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    json(request)
      .then((body) => {
        spans.push(...spansIn(body))
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
      .catch((error: Error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is OTLP's
function spansIn(body: any): CollectedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    scopeSpans.flatMap(({ spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: as above
      spans.map((span: any) => ({
        ...span,
        links: span.links ?? [],
        attributes: valuesOf(span.attributes ?? []),
        service: valuesOf(resource.attributes)['service.name'],
      })),
    ),
  )
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
