/** drizzle-kit: where the tables stand. `initial.ts` asks it for their SQL. */
import { defineConfig } from 'drizzle-kit'

export default defineConfig({ dialect: 'postgresql', schema: './src/server/**/table.ts' })
