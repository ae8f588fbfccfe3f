/** The coding agents that Deconflict knows. To add one, describe it in a file of this folder and list it here. */
import type { Agent } from './agent.ts'
import { CLAUDE_CODE } from './claude-code.ts'
import { CODEX } from './codex.ts'
import { COPILOT } from './copilot.ts'
import { CURSOR } from './cursor.ts'
import { GEMINI } from './gemini.ts'
import { OPENCODE } from './opencode.ts'
import { QWEN_CODE } from './qwen-code.ts'
import { VSCODE } from './vscode.ts'

export const AGENTS: readonly Agent[] = [
  CLAUDE_CODE,
  CODEX,
  COPILOT,
  CURSOR,
  GEMINI,
  OPENCODE,
  QWEN_CODE,
  VSCODE,
]

/** The agent that runs this command, if its environment names one. */
export function agentIn(env: Record<string, string | undefined>): string | null {
  return env.DECONFLICT_AGENT || (AGENTS.find(({ variable }) => variable && env[variable])?.name ?? null)
}
