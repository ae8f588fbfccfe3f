/** `GET /metrics`, for Prometheus. Whoever can reach it can read it: keep it off the public internet (docs/observability.md). */
import type { RequestHandler } from 'express'
import type { App } from '../../context/app.ts'
import { stockReader } from '../../operations/stock.ts'

/** Answers 200 whatever is away. */
export function showMetrics(app: App): RequestHandler {
  const { registry } = app.metrics
  const readStock = stockReader(app)
  return async (_req, res) => {
    await readStock()
    const text = await registry.metrics()
    res.statusCode = 200
    res.setHeader('Content-Type', registry.contentType)
    res.setHeader('Content-Length', Buffer.byteLength(text))
    res.end(text)
  }
}
