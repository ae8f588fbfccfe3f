/** drizzle-kit: `npm run migrations` writes the SQL for what the tables have become. */
import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/server/*/table.ts',
  out: './drizzle',
})
