/** Loaded before the service, to measure what surrounds its work: the database and the overlap check answer at once. */
import { register } from 'node:module'

const instead = {
  '/dist/db/postgres.js': new URL('instant-database.mjs', import.meta.url).href,
  '/dist/overlap/check.js': new URL('instant-overlap.mjs', import.meta.url).href,
}
const hooks = `const instead = ${JSON.stringify(Object.entries(instead))}
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  const [, url] = instead.find(([path]) => found.url.endsWith(path)) ?? []
  return url ? { ...found, url } : found
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
