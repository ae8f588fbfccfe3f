/** What people have to do after `deconflict init`: trust the hooks, and set up the command. Pure. */
import { HOOKED_AGENTS } from './agent-hooks.ts'
import type { FileChange } from './plan.ts'
import type { Scope } from './scope.ts'

interface Installed extends Scope {
  is_user: boolean
}

/** The lines to print. `changes`: the files that were written now. */
export function nextSteps({ parts, left_out, is_user }: Installed, changes: FileChange[]): string[] {
  const trust = HOOKED_AGENTS.flatMap(({ hooks, trust_step }) =>
    trust_step !== undefined && parts.includes(hooks.part) ? [trust_step] : [],
  )
  const names = changes.map(({ name }) => name).filter((name) => !/^(?:\.git|~|\.\.)\//.test(name))
  return [
    ...(left_out.length > 0
      ? [
          `Left out, not found here: ${left_out.join(', ')}. Add one with deconflict init --only NAME${is_user ? ' --user' : ''}.`,
          '',
        ]
      : []),
    ...(trust.length > 0 ? ['Trust:', ...trust.map((each) => `  ${each}`), ''] : []),
    'Next:',
    ...(names.length > 0 ? [`  Commit ${names.join(', ')}.`] : []),
    ...(is_user ? FOR_ONE : FOR_ALL),
    ...(parts.includes('git')
      ? ['  The pre-push hook is of this clone: run deconflict init --only git in each other one.']
      : []),
    '  deconflict doctor checks all of this.',
  ]
}

const FOR_ONE = [
  '  Sessions that you start from now on, in any clone and working tree, show each other their work.',
]
const FOR_ALL = [
  '  Everyone who works here installs the command; without it, the hooks do nothing. With a service, everyone also runs',
  '  deconflict login URL (or sets DECONFLICT_URL) and gh auth login (or sets GITHUB_TOKEN).',
]
