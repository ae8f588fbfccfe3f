/** The API reference at `/docs`: one page without scripts or external resources. */
import { type RequestHandler, Router } from 'express'
import { Lexer, Parser, Renderer, type Tokens } from 'marked'
import { STYLE } from './docs-style.ts'
import { onlyMethods } from './exchange.ts'

const STYLE_MAX_AGE_S = 3600

/** Allows only the style sheet of this page: no scripts, requests or frames. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';')

/** Serves the Markdown of `reference`. Rendering takes tens of milliseconds, so it happens on the first request and not at start. */
export function docsPage(reference: () => string): Router {
  let page: string | undefined
  const router = Router()
  const serve = (path: string, handler: RequestHandler) =>
    router
      .route(path)
      .get(handler)
      .all(onlyMethods(['GET']))
  serve('/', (_req, res) => {
    res.setHeader('Content-Security-Policy', POLICY)
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    res.setHeader('Cache-Control', 'no-cache')
    page ??= render(reference())
    res.type('html').send(page)
  })
  serve('/style.css', (_req, res) => {
    res.setHeader('Cache-Control', `public, max-age=${STYLE_MAX_AGE_S}`)
    res.type('css').send(STYLE)
  })
  return router
}

function render(reference: string): string {
  const tokens = Lexer.lex(reference)
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Deconflict: the REST API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<p><a href="/">Deconflict</a> · <a href="/api/v1/openapi.json">OpenAPI</a></p>
<ul>
${headings
  .filter(({ depth }) => depth > 1)
  .map(contentsItem)
  .join('\n')}
</ul>
</nav>
<main id="content" tabindex="-1">
${Parser.parse(tokens, { renderer: new PageRenderer() })}</main>
</body>
</html>
`
}

function contentsItem({ depth, text }: Tokens.Heading): string {
  return `<li class="depth-${depth}"><a href="#${anchorOf(text)}">${escapeHtml(text)}</a></li>`
}

class PageRenderer extends Renderer {
  override heading({ depth, text }: Tokens.Heading): string {
    return `<h${depth} id="${anchorOf(text)}">${escapeHtml(text)}</h${depth}>\n`
  }

  /** The texts of the contract contain no HTML, so an angle bracket is shown literally. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeHtml(text)
  }
}

/** The anchor that GitHub generates for a heading. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
