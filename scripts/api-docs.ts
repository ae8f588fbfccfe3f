/** `npm run docs`: writes docs/api.md from the OpenAPI document, that is, from the contract. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '../src/surfaces/http/openapi.ts'
import { apiReference } from '../src/surfaces/http/reference.ts'

/** The file's text. */
export function apiPage(): string {
  return `<!-- Written by \`npm run docs\` from src/operations/contract.ts. A test compares the two. -->\n\n${apiReference(openApiDocument('/api/v1'))}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../docs/api.md', import.meta.url), apiPage())
}
