/** Builds the page into `dist/web`. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  root: path('.'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('../../../../dist/web'),
    emptyOutDir: true,
    // The policy of the page lets nothing inline through.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
