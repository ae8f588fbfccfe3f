/** Whether a remote of git is on the GitHub that the service serves: another forge may have a repository of the same name. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Place } from './place.ts'
import { CliError, type World } from './world.ts'

const SSH_TIMEOUT_MS = 2000

/** Throws `CliError` where it is not; where nobody can tell, because ssh does not resolve its host, it only warns. */
export async function requireRemoteOn(
  world: World,
  { remote, host, is_ssh }: Place,
  { url, github_host }: { url: string; github_host: string },
): Promise<void> {
  const served = hostnameOf(github_host)
  if (webHostOf(host) === served) return
  const resolved = await resolvedHost(world, { host, is_ssh })
  if (resolved === served) return
  if (is_ssh && resolved === host && !isDomain(host)) {
    world.stderr.write(
      `deconflict: ssh does not say which host ${host} is, so ${remote} is taken to be on ${served}; --repo OWNER/NAME or DECONFLICT_REPO names the repository\n`,
    )
    return
  }
  throw new CliError(
    `the remote ${remote} is on ${resolved}, but ${url} serves repositories of ${served}; --repo OWNER/NAME or DECONFLICT_REPO names one of these`,
  )
}

/** The host of a remote as the web knows it, which may stand in the configuration of ssh. */
export async function resolvedHost(
  { env }: World,
  { host, is_ssh }: Pick<Place, 'host' | 'is_ssh'>,
): Promise<string> {
  return webHostOf((is_ssh && (await askSsh(env, host))) || host)
}

/** A host without its port: the one in a remote is that of git, the service's that of the web. */
function hostnameOf(host: string): string {
  return URL.canParse(`https://${host}`) ? new URL(`https://${host}`).hostname : host
}

/** GitHub also takes git over SSH at `ssh.github.com`, for networks that let port 443 through only. */
function webHostOf(host: string): string {
  return host.replace(/^(?:ssh|www)\./, '')
}

/** A name that DNS could know; `work` and `github.com-work` are aliases of somebody's ssh. */
function isDomain(host: string): boolean {
  return /\.(?:[a-z]{2,}|xn--[a-z0-9-]+|\d+)$/.test(host)
}

/** What the configuration of ssh makes of an alias, or of any other host; undefined where there is no ssh. */
async function askSsh(env: World['env'], host: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ssh', ['-G', '--', host], { env, timeout: SSH_TIMEOUT_MS })
    return /^hostname (\S+)$/im.exec(stdout)?.[1]?.toLowerCase()
  } catch {
    return undefined
  }
}
