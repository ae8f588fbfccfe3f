/** Builds the page into `dist/web`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const { version } = JSON.parse(readFileSync(path('../../package.json'), 'utf8'))

export default defineConfig({
  root: path('.'),
  define: { __VERSION__: JSON.stringify(version) },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('../../dist/web'),
    emptyOutDir: true,
    // The page's Content-Security-Policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
