/** Checks that a git remote is on the GitHub that the service serves: another host may have a repository of the same name. */

import { outputOf } from '../git/program-output.ts'
import { isLoopback } from '../vocabulary/network.ts'
import { CliError, type Runtime } from './runtime.ts'
import type { Workspace } from './workspace.ts'

const SSH_TIMEOUT_MS = 2000

/**
 * Throws `CliError` if the remote is on another host. Only warns if the host is an SSH alias that `ssh -G` does not
 * resolve, because the real host is then unknown. `resolve` calls `resolveHost`.
 */
export async function requireRemoteHost(
  runtime: Pick<Runtime, 'stderr'>,
  { remote, host, is_ssh }: Workspace,
  { url, github_host, resolve }: { url: string; github_host: string; resolve(): Promise<string> },
): Promise<void> {
  const served = servedHosts(github_host)
  if (served.includes(webHost(host))) return
  const resolved = await resolve()
  if (served.includes(resolved)) return
  const expected = served.join(' or ')
  if (is_ssh && resolved === host && !isDomain(host)) {
    runtime.stderr.write(
      `deconflict: ssh cannot resolve the host alias ${host}; assuming that ${remote} is on ${expected}. Use --repo OWNER/NAME or DECONFLICT_REPO to name the repository\n`,
    )
    return
  }
  throw new CliError(
    `the remote ${remote} is on ${resolved}, but ${url} serves repositories on ${expected}; use --repo OWNER/NAME or DECONFLICT_REPO to name one of those`,
  )
}

/** A GitHub on loopback is a fake of github.com, as in the demo and in tests. */
function servedHosts(github_host: string): string[] {
  const served = webHost(hostnameOf(github_host))
  return isLoopback(served) ? [served, 'github.com'] : [served]
}

/** The web host of a remote. The host in an SSH address may be an alias, which ssh resolves within `timeout_ms`. */
export async function resolveHost(
  { env }: Pick<Runtime, 'env'>,
  { host, is_ssh }: Pick<Workspace, 'host' | 'is_ssh'>,
  timeout_ms: number,
): Promise<string> {
  return webHost((is_ssh && (await sshHostname(env, host, timeout_ms))) || host)
}

/** The host without its port, because git and the web use different ports. */
function hostnameOf(host: string): string {
  return URL.canParse(`https://${host}`) ? new URL(`https://${host}`).hostname : host
}

/** GitHub accepts git over SSH at `ssh.github.com` too, for networks that only open port 443. */
function webHost(host: string): string {
  return host.replace(/^(?:ssh|www)\./, '')
}

/** False for aliases such as `work` and `github.com-work`, which exist in an SSH configuration only. */
function isDomain(host: string): boolean {
  return /\.(?:[a-z]{2,}|xn--[a-z0-9-]+|\d+)$/.test(host)
}

/** The `hostname` that the SSH configuration sets for `host`; undefined if ssh is not installed, or does not answer. */
async function sshHostname(
  env: Runtime['env'],
  host: string,
  timeout_ms: number,
): Promise<string | undefined> {
  const options = { env, timeout_ms: Math.min(SSH_TIMEOUT_MS, timeout_ms) }
  const configuration = (await outputOf('ssh', ['-G', '--', host], options)) ?? ''
  return /^hostname (\S+)$/im.exec(configuration)?.[1]?.toLowerCase()
}
