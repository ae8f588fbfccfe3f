/** Trusts the hooks of a working tree in Codex, as a person does with `/hooks`: Codex names their hashes, and its configuration stores them. */
import { spawn } from 'node:child_process'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const LIST_MS = 20_000

const Listed = z.object({
  id: z.literal(2),
  result: z.object({
    data: z.array(
      z.object({
        hooks: z.array(z.object({ key: z.string(), currentHash: z.string(), trustStatus: z.string() })),
      }),
    ),
  }),
})

interface Place {
  env: Record<string, string>
  cwd: string
  home: string
}

export async function trustCodexHooks(command: string, place: Place): Promise<void> {
  const hooks = await listHooks(command, place)
  const entries = hooks.map(
    ({ key, currentHash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`,
  )
  await appendFile(join(place.home, '.codex/config.toml'), entries.join(''))
}

/** Asks Codex which hooks it finds in `cwd`. */
async function listHooks(command: string, { env, cwd }: Place) {
  const child = spawn(command, ['app-server'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: LIST_MS,
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'deconflict-tests', version: '1' }
  send({ id: 1, method: 'initialize', params: { clientInfo, capabilities: { experimentalApi: true } } })
  send({ method: 'initialized' })
  send({ id: 2, method: 'hooks/list', params: { cwds: [cwd] } })
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const listed = Listed.safeParse(JSON.parse(line))
      if (listed.success) return listed.data.result.data.flatMap(({ hooks }) => hooks)
    }
    throw new Error('codex app-server ended without a list of hooks')
  } finally {
    child.kill()
  }
}
