/** GitHub Copilot CLI 1.0: https://docs.github.com/en/copilot/reference/hooks-configuration. It also runs the hooks of Claude Code. */
import { join } from 'node:path'
import type { Agent, HookEvent } from './agent.ts'
import { claudeAnswer, TIMEOUT_S } from './claude-shaped.ts'

export const COPILOT: Agent = {
  name: 'copilot',
  hooks: {
    part: 'copilot',
    path: '.github/hooks/deconflict.json',
    programs: ['copilot'],
    user: ({ env, home }) => [env.COPILOT_HOME || join(home, '.copilot'), 'hooks/deconflict.json'],
    template: { version: 1 },
    entries: ({ posix, powershell }) => {
      const hook = (event: HookEvent) => [
        { type: 'command', bash: posix(event), powershell: powershell(event), timeoutSec: TIMEOUT_S },
      ]
      // No preToolUse: on Windows a failure of it denies the tool call.
      return {
        sessionStart: hook('session-start'),
        userPromptSubmitted: hook('prompt'),
        postToolUse: hook('after-read'),
        sessionEnd: hook('session-end'),
      }
    },
  },
  recognizes: (json, given) => {
    if (json.sessionId !== undefined)
      return (json.hookEventName ?? json.hook_event_name ?? json.tool_name) === undefined
    // In the form of Claude Code, it sends no path of a transcript. Cursor may not either.
    const others = ['transcript_path', 'conversation_id', 'cursor_version']
    const isClaudeShaped = given === 'claude-code' && json.hook_event_name !== undefined
    return isClaudeShaped && others.every((name) => json[name] === undefined)
  },
  heard: ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read'],
  answer: (message, event, agent_event) => ({
    ...(agent_event !== undefined && claudeAnswer(message, event, agent_event)),
    additionalContext: message,
  }),
  trust_step:
    'Copilot CLI runs hooks only in a trusted folder: confirm it when Copilot asks, or set COPILOT_ALLOW_ALL=true where no person can.',
}
