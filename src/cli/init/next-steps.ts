/** What people have to do after `deconflict init`: trust the hooks, and set up the command. Pure. */
import type { FileChange } from './plan.ts'
import type { Part } from './targets.ts'

/** By part; tools that run hooks of a repository without asking are left out. */
const TRUST: Partial<Record<Part, string>> = {
  codex:
    'Codex runs no hook until you trust it: run /hooks in Codex, also after each change of .codex/hooks.json.',
  copilot:
    'Copilot CLI runs hooks only in a trusted folder: confirm it when Copilot asks, or set COPILOT_ALLOW_ALL=true where no person can.',
  gemini:
    'Gemini CLI runs hooks only in a trusted folder: confirm it when Gemini asks, or set GEMINI_CLI_TRUST_WORKSPACE=true where no person can.',
}

/** The lines to print. `parts`: the installed parts; `changes`: the files that were written now. */
export function nextSteps(parts: readonly Part[], changes: FileChange[]): string[] {
  const trust = parts.flatMap((part) => TRUST[part] ?? [])
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
