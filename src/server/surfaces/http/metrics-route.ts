/** `GET /metrics`, for Prometheus. It has no authentication, so do not expose it to the internet (docs/observability.md). */
import type { RequestHandler } from 'express'
import { gaugeCollector } from '../../admin/gauges.ts'
import type { App } from '../../repositories/app.ts'

/** Responds with 200 even if the database is unavailable. */
export function showMetrics(app: App): RequestHandler {
  const { registry } = app.metrics
  const collectGauges = gaugeCollector(app)
  return async (_req, res) => {
    await collectGauges()
    const text = await registry.metrics()
    res.statusCode = 200
    res.setHeader('Content-Type', registry.contentType)
    res.setHeader('Content-Length', Buffer.byteLength(text))
    res.end(text)
  }
}
