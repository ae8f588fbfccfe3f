/** `deconflict doctor`: checks the set-up of a working tree, and says what to do about each problem. */
import { createClient, DeconflictError } from '../../client/client.ts'
import { getServiceInfo } from '../../client/transport.ts'
import { escapedJson, sanitize } from '../../vocabulary/text.ts'
import { VERSION } from '../../vocabulary/version.ts'
import { type CommonOptions, displayOf } from '../command-context.ts'
import { isLocal, NO_REMOTE, openLocal } from '../local-mode.ts'
import { lookedText } from '../overlap-text.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from '../runtime.ts'
import { findConnection, findProxy, findUrl, proxiedFetch, readUrl } from '../service-connection.ts'
import { findWorkspace, type Workspace } from '../workspace.ts'
import { attempt, type Finding, hookChecks } from './hook-checks.ts'

/** Short, because a person is waiting. */
const TIMEOUT_MS = 5000
/** No record has this id. */
const NO_ID = 'act_00000000000000000000000000'

/** Exits with 1 if there is any problem. */
export async function doctor(runtime: Runtime, options: CommonOptions): Promise<ExitCode> {
  const is_local = isLocal(runtime, options)
  const checks: Finding[] = []
  let workspace: Workspace | undefined
  await attempt(checks, 'repository', async () => {
    const found = await findWorkspace(runtime, { ...options, is_local })
    const { owner, repo, remote, is_named, is_unknown } = found
    if (is_unknown && !is_local) throw new CliError(NO_REMOTE)
    workspace = found
    const source = is_unknown ? 'the name of its directory' : `the remote ${remote}`
    return `${owner}/${repo}, from ${is_named ? '--repo or DECONFLICT_REPO' : source}`
  })
  const known = workspace
  if (known) await attempt(checks, 'branch', () => checkBranch(known))
  await attempt(checks, 'mode', () => (is_local ? 'without a service, in this clone' : 'with a service'))
  if (!is_local) await serviceChecks(runtime, checks, { ...options, workspace })
  if (known && is_local) await attempt(checks, 'clone', () => checkClone(runtime, known))
  await hookChecks(runtime, checks)
  const ok = checks.every(({ is_ok }) => is_ok)
  runtime.stdout.write(
    options.json ? `${escapedJson({ ok, version: VERSION, checks }, 2)}\n` : `${linesOf(runtime, checks)}\n`,
  )
  return ok ? EXIT.clear : EXIT.error
}

async function serviceChecks(
  runtime: Runtime,
  checks: Finding[],
  { workspace, ...options }: CommonOptions & { workspace: Workspace | undefined },
): Promise<void> {
  if (runtime.env.https_proxy || runtime.env.HTTPS_PROXY)
    await attempt(checks, 'proxy', () => checkProxy(runtime, options))
  const isReachable = await attempt(checks, 'server', () => checkServer(runtime, options))
  if (isReachable) await attempt(checks, 'token', () => checkToken(runtime, workspace, options))
}

/** What is seen of the clone without a service. */
async function checkClone(runtime: Runtime, workspace: Workspace): Promise<string> {
  const { owner, repo } = workspace
  const client = await openLocal(runtime, workspace)
  const input = { scope: { areas: [], paths: ['.git'] }, branch: null, base_branch: null, tags: [] }
  return lookedText(await client.checkOverlap({ owner, repo, input }))
}

function checkBranch({ branch, own_branch, base_branch, diff_base, remote }: Workspace): string {
  if (branch === null) return 'none is checked out, so activities have no branch'
  if (own_branch === null) return `${branch}, the base branch, so activities have no branch`
  if (base_branch === null && diff_base === undefined)
    throw new CliError(
      `${branch}, whose base branch is unknown; ${remote ? `run git remote set-head ${remote} --auto` : 'name it with check --base'}`,
    )
  return `${branch}, into ${base_branch}`
}

/** Says where requests go. The check of the server shows whether they get through, and what is wrong with its address. */
function checkProxy(runtime: Runtime, options: CommonOptions): string {
  const { host = '', except = '' } = findProxy(runtime.env) ?? {}
  const url = readUrl(runtime.env, options) ?? 'https:'
  if (!url.startsWith('https:')) return `${host} (HTTPS_PROXY), not used for ${url}`
  return `${host} (HTTPS_PROXY)${except === '' ? '' : `, except for ${except} (NO_PROXY)`}`
}

async function checkServer(runtime: Runtime, options: CommonOptions): Promise<string> {
  const url = findUrl(runtime, options)
  try {
    const { version } = await getServiceInfo({
      base_url: url,
      insecure: true,
      timeout_ms: TIMEOUT_MS,
      attempts: 1,
      fetch: await proxiedFetch(runtime.env, url),
    })
    if (version === null) throw new CliError(`${url} is not a Deconflict server; check the address`)
    return `${url}, version ${version}${version === VERSION ? '' : `; this command has version ${VERSION}`}`
  } catch (error) {
    if (!(error instanceof DeconflictError)) throw error
    throw new CliError(`${error.message}; check that it runs, and the address (deconflict login URL)`)
  }
}

async function checkToken(
  runtime: Runtime,
  workspace: Workspace | undefined,
  { url, insecure }: CommonOptions,
): Promise<string> {
  const limits = { timeout_ms: TIMEOUT_MS, attempts: 1 }
  const client = createClient(await findConnection(runtime, workspace, { url, insecure, ...limits }))
  if (!workspace) return 'found; not checked without a repository'
  const { owner, repo } = workspace
  try {
    await client.heartbeatActivity({ owner, repo, id: NO_ID })
  } catch (error) {
    if (!(error instanceof DeconflictError)) throw error
    if (error.type === 'unauthorized')
      throw new CliError(`${error.message}; set GITHUB_TOKEN, or run gh auth login`)
    if (error.type === 'forbidden')
      throw new CliError(`${error.message}; hooks need a token that can write to ${owner}/${repo}`)
    if (error.type !== 'not_found') throw error
  }
  return `accepted, and can write to ${owner}/${repo}`
}

function linesOf(runtime: Runtime, checks: Finding[]): string {
  const { paint } = displayOf(runtime)
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks
    .map(({ name, is_ok, message }) => {
      const state = is_ok ? paint('green', 'ok     ') : paint('red', 'problem')
      return `${state}  ${name.padEnd(width)}  ${sanitize(message)}`
    })
    .join('\n')
}
