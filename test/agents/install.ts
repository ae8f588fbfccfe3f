/** Installs the coding agents before the tests. */
import type { TestProject } from 'vitest/node'
import { installPrograms } from './programs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the agents' executables. */
    executables: string
  }
}

export async function setup({ provide }: TestProject): Promise<void> {
  provide('executables', await installPrograms())
}
