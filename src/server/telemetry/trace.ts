/** OpenTelemetry spans. Before `startTracing` is called, every function here is a cheap no-op. */
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
 * Exports spans over OTLP. The SDK is loaded only here and reads its `OTEL_…` variables itself. Returns a function that
 * flushes the remaining spans and shuts the SDK down.
 */
export async function startTracing(options: {
  service_name: string
  log: Logger
}): Promise<() => Promise<void>> {
  const { NodeSDK } = await import('@opentelemetry/sdk-node')
  const warn = (message: string) => options.log.warn({ reason: message.slice(0, 300) }, 'trace export failed')
  diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN)
  const sdk = new NodeSDK({
    serviceName: options.service_name,
    instrumentations: [],
    // Metrics are scraped, and logs go to standard output.
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
 * Runs `work` in a new child span of the current span; the span is undefined when tracing is off. `caused_by`, in the
 * format of the `traceparent` header, is a span to link to.
 */
export function inSpan<Result>(
  name: string,
  options: { kind: 'client' | 'consumer' | 'internal'; attributes?: Attributes; caused_by?: string | null },
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work(undefined)
  const { attributes = {}, caused_by = null } = options
  const spanOptions = { kind: KINDS[options.kind], attributes, links: linksTo(caused_by) }
  return tracer.startActiveSpan(name, spanOptions, async (span) => {
    try {
      return await work(span)
    } finally {
      span.end()
    }
  })
}

/** Starts the span of a request, in the trace that its headers name. `within` runs the handler as part of the span. */
export function serverSpan(
  headers: Record<string, unknown>,
  attributes: () => Attributes,
): { span: Span; within: (serve: () => void) => void } | undefined {
  if (!tracer) return undefined
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER, attributes: attributes() }, parent)
  return { span, within: (serve) => context.with(trace.setSpan(parent, span), serve) }
}

/** Marks a span as failed. The error message is left out, because that of a database error can contain user data. */
export function markFailed(span: Span | undefined, type: string): void {
  span?.setStatus({ code: SpanStatusCode.ERROR })
  span?.setAttribute('error.type', type)
}

/** The current span in the format of the `traceparent` header; null when tracing is off. */
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
