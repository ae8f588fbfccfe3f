/** Builds the service and its page once per run, as a release, for the projects that start it as a process. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    is_built: boolean
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BUILD_MS = 180_000

export async function setup(project: TestProject): Promise<void> {
  const run = project.vitest.getRootProject()
  if ('is_built' in run.getProvidedContext()) return
  run.provide('is_built', true)
  // As `npm run build`, without checking the types, which `npm run verify` does.
  await Promise.all([
    build('tsc', '-p', 'tsconfig.build.json', '--noCheck', '--noResolve').then(() =>
      build('tsx', 'scripts/bundle.ts'),
    ),
    build('tsc', '-p', 'tsconfig.client.json', '--noCheck'),
    build('vite', 'build', '--config', 'src/page/vite.config.mts', '--logLevel', 'warn'),
  ])
}

function build(command: string, ...flags: string[]) {
  // Vitest sets NODE_ENV to `test`, with which the page would be built for development.
  const env = { ...process.env, NODE_ENV: 'production' }
  const options = { cwd: ROOT, env, timeout: BUILD_MS, killSignal: 'SIGKILL' } as const
  return promisify(execFile)(process.execPath, [`node_modules/.bin/${command}`, ...flags], options)
}
