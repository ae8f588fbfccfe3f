/** `deconflict login`: checks that the service accepts the token, and stores the service's address. */
import { text } from 'node:stream/consumers'
import { type Client, createClient, DeconflictError } from '../client/client.ts'
import { exposesTokens } from '../client/transport.ts'
import { escapedJson } from '../vocabulary/text.ts'
import type { CommonOptions } from './command-context.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { findConnection, findUrl, writeLogin } from './service-connection.ts'
import { findWorkspace } from './workspace.ts'

export interface LoginOptions extends CommonOptions {
  withToken?: boolean
}

/** Stores a token only with `--with-token`, in a file that only the user can read. */
export async function login(
  runtime: Runtime,
  given: string | undefined,
  options: LoginOptions,
): Promise<ExitCode> {
  const token = options.withToken ? (await text(runtime.stdin)).trim() : undefined
  if (options.withToken && !token)
    throw new CliError('--with-token reads the token from standard input, which was empty')
  const url = findUrl(runtime, { ...options, url: given ?? options.url })
  const found = await findWorkspace(runtime, options).catch(() => undefined)
  const workspace = found?.is_unknown ? undefined : found
  const connection = { url, insecure: true, token, attempts: 1 }
  const client = createClient(await findConnection(runtime, workspace, connection))
  const repository = workspace && { owner: workspace.owner, repo: workspace.repo }
  if (repository) await client.getSettings(repository)
  else await requireAcceptedToken(client)
  const file = writeLogin(runtime.env, { url, ...(token && { token }) })
  const accepted = repository
    ? `Your token can read ${repository.owner}/${repository.repo} at ${url}.`
    : `${url} accepts your token.`
  const notes = [
    `${accepted} The address is stored in ${file}.`,
    token &&
      `The token is stored unencrypted in ${file}, which only you can read. To avoid that, use GITHUB_TOKEN or gh auth login.`,
    exposesTokens(url) &&
      'Every command and hook needs --insecure or DECONFLICT_INSECURE=1 to send a token to this address.',
  ].filter(Boolean)
  runtime.stdout.write(`${options.json ? escapedJson({ url, notes }, 2) : notes.join('\n')}\n`)
  return EXIT.clear
}

/** For a login outside of a repository: 403 for an arbitrary repository shows that the token itself is accepted. */
async function requireAcceptedToken(client: Client): Promise<void> {
  try {
    await client.getSettings({ owner: 'deconflict', repo: 'deconflict' })
  } catch (error) {
    if (!(error instanceof DeconflictError) || error.type !== 'forbidden') throw error
  }
}
