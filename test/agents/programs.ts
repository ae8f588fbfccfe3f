/** The command-line programs of coding agents: which versions, how to install them, and how to run each without a terminal. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DIALECTS, type Dialect, type Reply } from './dialects.ts'

/** The versions under test. Raise them here, then run `npm run test:agents` and update docs/agents. */
const VERSIONS = {
  '@anthropic-ai/claude-code': '2.1.330',
  '@openai/codex': '0.169.0',
  '@google/gemini-cli': '0.61.0',
  '@github/copilot': '1.0.102',
  'opencode-ai': '1.18.33',
  '@qwen-code/qwen-code': '0.24.4',
}

const INSTALL_MS = 8 * 60_000

interface Place {
  home: string
  tree: string
  model: string
}

export interface Program {
  name: string
  package: keyof typeof VERSIONS
  /** The name of the executable. */
  command: string
  /** The value of `agent` that its activities have. */
  agent: string
  dialect: Dialect
  args: (prompt: string, place: Place) => string[]
  env: (place: Place) => Record<string, string>
  files?: (place: Place) => Record<string, string>
  /** Whether it runs no hook at the end of a session without a terminal, so that the activity expires. */
  has_no_end?: boolean
  /** Calls of its tools. */
  read: (file: string) => Reply
  edit: (file: string, edit: Edit) => Reply
}

export interface Edit {
  from: string
  to: string
}

/** Of Gemini CLI, and of Qwen Code, which is made of it. */
const settings = (selectedType: string) =>
  JSON.stringify({
    security: { auth: { selectedType } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  })

const patch = (file: string, { from, to }: Edit) =>
  `*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\n`

export const PROGRAMS: Program[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    command: 'claude',
    agent: 'claude-code',
    dialect: DIALECTS.messages,
    args: (prompt) => [
      '--print',
      '--permission-mode',
      'acceptEdits',
      '--allowedTools',
      'Read,Edit',
      '--',
      prompt,
    ],
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'stub',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    read: (file) => ({ tool: 'Read', input: { file_path: file } }),
    edit: (file, { from, to }) => ({
      tool: 'Edit',
      input: { file_path: file, old_string: from, new_string: to },
    }),
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    command: 'codex',
    agent: 'codex',
    dialect: DIALECTS.responses,
    args: (prompt) => ['exec', prompt],
    env: () => ({ STUB_KEY: 'stub' }),
    files: ({ model, tree }) => ({
      '.codex/config.toml': [
        'model = "gpt-5.5"',
        'model_provider = "stub"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        '[model_providers.stub]',
        'name = "stub"',
        `base_url = "${model}/v1"`,
        'wire_api = "responses"',
        'env_key = "STUB_KEY"',
        `[projects."${tree}"]`,
        'trust_level = "trusted"',
        '',
      ].join('\n'),
    }),
    read: (file) => ({ tool: 'exec_command', input: { cmd: `cat ${file}` } }),
    edit: (file, edit) => ({ tool: 'apply_patch', input: {}, free_form: patch(file, edit) }),
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    command: 'gemini',
    agent: 'gemini',
    dialect: DIALECTS.gemini,
    args: (prompt) => ['--approval-mode', 'yolo', '-m', 'gemini-2.5-flash', '-p', prompt],
    env: ({ model }) => ({
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: 'stub',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    files: () => ({ '.gemini/settings.json': settings('gemini-api-key') }),
    read: (file) => ({ tool: 'read_file', input: { file_path: file } }),
    edit: (file, { from, to }) => ({
      tool: 'replace',
      input: { file_path: file, instruction: 'Retry', old_string: from, new_string: to },
    }),
  },
  {
    name: 'Copilot CLI',
    package: '@github/copilot',
    command: 'copilot',
    agent: 'copilot',
    dialect: DIALECTS.completions,
    args: (prompt) => ['--disable-builtin-mcps', '-p', prompt],
    env: ({ model }) => ({
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'stub',
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_OFFLINE: 'true',
      COPILOT_ALLOW_ALL: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    read: (file) => ({ tool: 'view', input: { path: file } }),
    edit: (file, { from, to }) => ({ tool: 'edit', input: { path: file, old_str: from, new_str: to } }),
  },
  {
    name: 'OpenCode',
    package: 'opencode-ai',
    command: 'opencode',
    agent: 'opencode',
    dialect: DIALECTS.completions,
    args: (prompt) => ['run', '--auto', prompt],
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: 'true',
      OPENCODE_DISABLE_MODELS_FETCH: 'true',
      OPENCODE_DISABLE_LSP_DOWNLOAD: 'true',
    }),
    files: ({ model }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        model: 'stub/stub',
        small_model: 'stub/stub',
        autoupdate: false,
        share: 'disabled',
        provider: {
          stub: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: 'stub' },
            models: { stub: { name: 'stub', tool_call: true, limit: { context: 100_000, output: 10_000 } } },
          },
        },
      }),
    }),
    read: (file) => ({ tool: 'read', input: { filePath: file } }),
    edit: (file, { from, to }) => ({
      tool: 'edit',
      input: { filePath: file, oldString: from, newString: to },
    }),
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    command: 'qwen',
    agent: 'qwen-code',
    dialect: DIALECTS.completions,
    args: (prompt) => ['--approval-mode', 'yolo', '-p', prompt],
    env: ({ model }) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: 'stub', OPENAI_MODEL: 'stub' }),
    files: () => ({ '.qwen/settings.json': settings('openai') }),
    has_no_end: true,
    read: (file) => ({ tool: 'read_file', input: { file_path: file } }),
    edit: (file, { from, to }) => ({
      tool: 'edit',
      input: { file_path: file, old_string: from, new_string: to },
    }),
  },
]

/** Installs the programs in a cache directory, once per set of versions. Returns the directory of their executables. */
export async function installPrograms(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const directory = join(cache, 'deconflict', 'agents')
  const wanted = `${JSON.stringify({ private: true, dependencies: VERSIONS }, null, 2)}\n`
  const installed = join(directory, 'installed.json')
  if ((await readFile(installed, 'utf8').catch(() => '')) !== wanted) {
    process.stderr.write(`Installing coding agents (1.5 GB) in ${directory}\n`)
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, 'package.json'), wanted)
    const options = { cwd: directory, timeout: INSTALL_MS }
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], options)
    await writeFile(installed, wanted)
  }
  return join(directory, 'node_modules', '.bin')
}
