/** What tests of the command share: a service with one repository, and Ada's working tree of it. */
import { afterEach, beforeEach, expect } from 'vitest'
import { startShopService } from './built-service.ts'
import { useEach, useStarted } from './use-started.ts'
import { type RunOptions, type WorkingTree, workingTree } from './working-tree.ts'

interface HookOptions extends Omit<RunOptions, 'input' | 'cwd'> {
  agent?: string
  flags?: string[]
  uptime_ms?: number
}

/** A working tree of its own for each test of a file, without a service unless `env` names one. */
export function useTree(env: Record<string, string> | (() => Record<string, string>) = {}): WorkingTree {
  const tree = useEach(() => workingTree(typeof env === 'function' ? env() : env))
  afterEach(() => tree.remove())
  return tree
}

/** The hooks of a working tree, as an agent runs them in its session `s1`. */
export function hooksIn(tree: WorkingTree) {
  /** `about`: more fields of its JSON. */
  const hook = (
    event: string,
    about: object = {},
    { agent = 'claude-code', flags = [], ...options }: HookOptions = {},
  ) =>
    tree.run(['hook', event, '--agent', agent, ...flags], {
      ...options,
      input: JSON.stringify({ session_id: 's1', transcript_path: '/t', cwd: tree.path, ...about }),
    })
  /** What the agent reads; empty if the hook says nothing. */
  const heard = async (...given: Parameters<typeof hook>): Promise<string> => {
    const { code, stdout, stderr } = await hook(...given)
    expect([code, stderr]).toEqual([0, ''])
    return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
  }
  return { hook, heard }
}

/** Starts the service before the tests of a file, and gives each test a working tree on `branch`, which is a new one or `main`. */
export function useShop({ branch = 'work' } = {}) {
  const shop = useStarted(startShopService, (started) => started.close())
  /** The working tree of the current test, whose commands use `shop` with Ada's token. */
  const tree = useTree(() => ({ DECONFLICT_URL: shop.url, GITHUB_TOKEN: 'tok-ada' }))
  beforeEach(async () => {
    if (branch !== 'main') await tree.git('checkout', '-q', '-b', branch)
  })
  afterEach(() => shop.deleteRecords())
  return {
    shop,
    tree,
    ...hooksIn(tree),
    /** Creates an activity of Ben, for Ada's work to overlap with, and returns its id. */
    async startAsBen(fields: object = {}): Promise<string> {
      const work = { title: 'Tidy', summary: 'x', actor: 'Ben', branch: 'tidy', base_branch: 'main' }
      const body = { ...work, scope: { paths: ['src/**/retry.ts'] }, ...fields }
      return (await shop.api('POST', '/activity', { token: 'tok-ben', body })).body.activity.id
    },
  }
}
