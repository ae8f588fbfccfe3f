/** Spans. Until `startTracing` was called there are none, and asking for one costs next to nothing. */
import {
  type Attributes,
  context,
  DiagLogLevel,
  diag,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Logger } from 'pino'

export type { Span }

let tracer: Tracer | undefined

/**
 * Sends spans to the OTLP endpoint of the environment: the SDK reads its variables, `OTEL_…`, itself. It is loaded here
 * and not before. Answers what ends it, which sends what is left.
 */
export async function startTracing(options: {
  service_name: string
  log: Logger
}): Promise<() => Promise<void>> {
  const { NodeSDK } = await import('@opentelemetry/sdk-node')
  const tell = (message: string) => options.log.warn({ trouble: message.slice(0, 300) }, 'traces')
  diag.setLogger({ error: tell, warn: tell, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN)
  const sdk = new NodeSDK({
    serviceName: options.service_name,
    instrumentations: [],
    // Metrics are scraped and logs are written to the standard output: neither is sent.
    metricReaders: [],
    logRecordProcessors: [],
  })
  sdk.start()
  tracer = trace.getTracer('deconflict')
  return async () => {
    tracer = undefined
    await sdk.shutdown()
  }
}

const KINDS = { client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL } as const

/**
 * Runs `work` in a span of its own, within the present one; it is handed undefined where nothing is traced. `caused_by`,
 * spelt as the header `traceparent`, names a span to link to.
 */
export function inSpan<Result>(
  name: string,
  options: { kind: 'client' | 'consumer' | 'internal'; attributes?: Attributes; caused_by?: string | null },
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work(undefined)
  const { attributes = {}, caused_by = null } = options
  const given = { kind: KINDS[options.kind], attributes, links: linksTo(caused_by) }
  return tracer.startActiveSpan(name, given, async (span) => {
    try {
      return await work(span)
    } finally {
      span.end()
    }
  })
}

/** Begins the span of a request, as part of the trace that its headers name. `within` runs what serves it. */
export function serverSpan(
  headers: Record<string, unknown>,
  attributes: () => Attributes,
): { span: Span; within: (serve: () => void) => void } | undefined {
  if (!tracer) return undefined
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER, attributes: attributes() }, parent)
  return { span, within: (serve) => context.with(trace.setSpan(parent, span), serve) }
}

/** Marks a span as failed, without the message: that of a database error holds what users wrote. */
export function markFailed(span: Span | undefined, type: string): void {
  span?.setStatus({ code: SpanStatusCode.ERROR })
  span?.setAttribute('error.type', type)
}

/** The present span, as the header `traceparent` spells it; null where nothing is traced. */
export function currentTraceparent(): string | null {
  if (!tracer) return null
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent ?? null
}

function linksTo(traceparent: string | null): Link[] {
  if (traceparent === null) return []
  const linked = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent }))
  return linked ? [{ context: linked }] : []
}

export function currentTraceId(): string | undefined {
  return tracer && trace.getActiveSpan()?.spanContext().traceId
}
