/** Loaded before the service, to measure it without a database: what it takes for PostgreSQL is `instant-database.mjs`. */
import { register } from 'node:module'

const instead = new URL('./instant-database.mjs', import.meta.url).href
const hooks = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  return found.url.endsWith('/dist/db/postgres.js') ? { ...found, url: '${instead}' } : found
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
