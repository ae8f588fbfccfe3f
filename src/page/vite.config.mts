/** Builds the page and the API reference into `dist/web`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const { version } = JSON.parse(readFileSync(path('../../package.json'), 'utf8'))

/** Makes Redoc a module, and removes the picture beside the link to its maker, which is on their server. */
const redoc: Plugin = {
  name: 'redoc',
  transform: {
    filter: { id: /redoc\.standalone\.js$/ },
    handler: (code) =>
      code
        .replaceAll('require("null")', 'undefined')
        .replace('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,'),
  },
}

export default defineConfig({
  root: path('.'),
  plugins: [redoc],
  define: { __VERSION__: JSON.stringify(version) },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('../../dist/web'),
    emptyOutDir: true,
    rolldownOptions: {
      input: { index: path('index.html'), docs: path('docs.html') },
      // Every `npm start` builds the page; on a slow machine it would begin with a report on plugins.
      checks: { pluginTimings: false },
    },
    // The page's Content-Security-Policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Redoc, which only the API reference loads, has about 1.1 MB.
    chunkSizeWarningLimit: 1200,
  },
})
