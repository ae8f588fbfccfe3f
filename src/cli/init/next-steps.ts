/** What people have to do after `deconflict init`: trust the hooks, and set up the command. Pure. */
import { HOOKED_AGENTS } from './agent-hooks.ts'
import type { FileChange } from './plan.ts'

/** The lines to print. `parts`: the installed parts; `changes`: the files that were written now. */
export function nextSteps(parts: readonly string[], changes: FileChange[]): string[] {
  const trust = HOOKED_AGENTS.flatMap(({ hooks, trust_step }) =>
    trust_step !== undefined && parts.includes(hooks.part) ? [trust_step] : [],
  )
  const names = changes.map(({ name }) => name).filter((name) => !/^(?:\.git\/|\.\.\/)/.test(name))
  return [
    ...(trust.length > 0 ? ['Trust:', ...trust.map((each) => `  ${each}`), ''] : []),
    'Next:',
    ...(names.length > 0 ? [`  Commit ${names.join(', ')}.`] : []),
    '  Everyone who works here installs the command, and runs deconflict login URL (or sets DECONFLICT_URL) and',
    '  gh auth login (or sets GITHUB_TOKEN). Without the command, the hooks do nothing.',
    ...(parts.includes('git')
      ? ['  The pre-push hook is not committed: everyone runs deconflict init --only git.']
      : []),
    '  deconflict doctor checks all of this.',
  ]
}
