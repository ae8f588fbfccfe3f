/** The documentation for people at `/docs`: Swagger UI on our OpenAPI document, from this service alone (issue: every door). */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { type RequestHandler, Router } from 'express'
import { onlyMethods } from './exchange.ts'

const require = createRequire(import.meta.url)
const LIBRARY = dirname(require.resolve('swagger-ui-dist/swagger-ui.css'))
const LIBRARY_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']
const DAY_MS = 86_400_000

/** Scripts, styles and requests of this service only, nothing inline; the library's style sheet holds its pictures as `data:`. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Deconflict: the REST interface</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="docs"><noscript>This page needs JavaScript. The same as text: /api/v1/openapi.json</noscript></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** The token that somebody types in stays in the page: nothing is kept in the browser's storage. */
const startScript = (document_url: string) => `SwaggerUIBundle({
  url: ${JSON.stringify(document_url)},
  dom_id: '#docs',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
})
`

export function docsPage(document_url: string): Router {
  const router = Router()
  const serve = (path: string, handler: RequestHandler) =>
    router
      .route(path)
      .get(handler)
      .all(onlyMethods(['GET']))
  serve('/', (_req, res) => {
    res.setHeader('Content-Security-Policy', POLICY)
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    res.type('html').send(PAGE)
  })
  serve('/start.js', (_req, res) => {
    res.setHeader('Cache-Control', 'no-cache')
    res.type('js').send(startScript(document_url))
  })
  for (const file of LIBRARY_FILES) {
    serve(`/${file}`, (_req, res, next) => {
      // What says that answers are not kept is meant for data; the library's files change with its version only.
      res.removeHeader('Cache-Control')
      res.sendFile(file, { root: LIBRARY, maxAge: DAY_MS }, (error) => {
        if (error && !res.headersSent) next(error)
      })
    })
  }
  return router
}
