/** OpenCode 1.18: https://opencode.ai/docs/plugins. It runs no commands as hooks, so `init` writes a plugin: a module. */
import { join } from 'node:path'
import type { Agent } from './agent.ts'

const START = '// Written by `deconflict init`.'

export const OPENCODE: Agent = {
  name: 'opencode',
  hooks: {
    part: 'opencode',
    path: '.opencode/plugin/deconflict.js',
    programs: ['opencode'],
    user: ({ env, home }) => [
      join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode'),
      'plugin/deconflict.js',
    ],
    start: START,
    source: (options) => PLUGIN.replace('[OPTIONS]', `[${options.map((each) => `'${each}'`).join(', ')}]`),
  },
  heard: ['session-start', 'prompt', 'after-edit', 'after-read'],
  answer: (message) => ({ additionalContext: message }),
  mcp: {
    path: 'opencode.json',
    key: 'mcp',
    entry: { type: 'local', command: ['deconflict', 'mcp'], enabled: true },
    template: { $schema: 'https://opencode.ai/config.json' },
  },
}

const PLUGIN = `${START} Tells Deconflict what a session of OpenCode works on, and OpenCode who else
// works there. It does nothing on machines without the command \`deconflict\`, and never fails.
import { spawn } from 'node:child_process'

const OPTIONS_OF_EVERY_HOOK = [OPTIONS]
const EDITS = /^(?:edit|multiedit|write|patch|apply_patch)$/
const READS = /^(?:read|bash)$/

/** Resolves with the text for the model, which is empty in most cases. */
function hook(event, payload) {
  return new Promise((resolve) => {
    const child = spawn('deconflict', ['hook', event, ...OPTIONS_OF_EVERY_HOOK], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: 10_000,
      shell: process.platform === 'win32',
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.on('error', () => resolve(''))
    child.on('close', () => {
      try {
        resolve(JSON.parse(output).additionalContext ?? '')
      } catch {
        resolve('')
      }
    })
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Deconflict = async ({ directory }) => {
  const started = new Set()
  const parents = new Map()
  const inputs = new Map()
  const rootOf = (id) => (parents.has(id) ? rootOf(parents.get(id)) : id)
  const running = new Set()
  const call = (event, id, more = {}) => {
    const run = hook(event, { session_id: rootOf(id), cwd: directory, ...more })
    running.add(run)
    return run.finally(() => running.delete(run))
  }
  // A hook that finishes after the end would create another activity.
  const end = async (id) => {
    if (!started.delete(id)) return
    await Promise.all(running)
    await call('session-end', id)
  }
  return {
    event: async ({ event: { type, properties } }) => {
      const { id, parentID } = properties?.info ?? {}
      if (type === 'session.created' && parentID) parents.set(id, parentID)
      if (type === 'session.idle' && started.has(properties.sessionID)) await call('stop', properties.sessionID)
      if (type === 'session.deleted') await end(id)
    },
    'chat.message': async ({ sessionID }, { message, parts }) => {
      const root = rootOf(sessionID)
      const prompt = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\\n')
      const text = await call(started.has(root) ? 'prompt' : 'session-start', root, { prompt })
      started.add(root)
      // Parts are ordered by id.
      const id = \`\${parts.at(-1)?.id ?? 'prt_deconflict'}d\`
      if (text !== '') parts.push({ id, sessionID, messageID: message.id, type: 'text', text, synthetic: true })
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      if (!EDITS.test(tool) && !READS.test(tool)) return
      inputs.set(callID, args)
      if (EDITS.test(tool)) await call('before-edit', sessionID, { tool_name: tool, tool_input: args })
    },
    'tool.execute.after': async ({ tool, sessionID, callID }, output) => {
      const args = inputs.get(callID)
      if (!inputs.delete(callID)) return
      const event = EDITS.test(tool) ? 'after-edit' : 'after-read'
      const text = await call(event, sessionID, { tool_name: tool, tool_input: args })
      if (text !== '') output.output += \`\\n\\n\${text}\`
    },
    dispose: async () => {
      for (const id of [...started]) await end(id)
    },
  }
}
`
