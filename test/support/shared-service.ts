/**
 * Starts the built service once, for the files of `processes` that neither end it nor need settings of their own. Each uses a
 * repository that no other file uses. On the embedded database, because another project may stop the PostgreSQL of the run
 * before this one closes.
 */
import { cp } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { startBuiltService } from './built-service.ts'
import { temporaryDirectory } from './temporary-directory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    shared_service: { url: string; github_url: string }
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await temporaryDirectory('shared-service')
  // Copying the template is faster than creating a database, if another project has one.
  const { embedded } = project.getProvidedContext()
  if (embedded) await cp(embedded.template, directory.path, { recursive: true })
  const database = { database_url: undefined, data_dir: directory.path, drop: () => directory.remove() }
  const service = await startBuiltService({}, { database })
  project.provide('shared_service', { url: service.url, github_url: service.github.url })
  return service.close
}
