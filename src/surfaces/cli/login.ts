/** `deconflict login`: which server this machine asks, and whether it takes the token. */
import { text } from 'node:stream/consumers'
import { exposesTokens } from '../../client/address.ts'
import { type Client, DeconflictError } from '../../client/client.ts'
import { configFile, connect, findUrl, writeStored } from './account.ts'
import { findPlace } from './place.ts'
import type { CommonOptions } from './session.ts'
import { CliError, EXIT, type ExitCode, type World } from './world.ts'

export interface LoginOptions extends CommonOptions {
  withToken?: boolean
}

/** Stores the address; a token only where that is asked for, and then in a file for the user alone. */
export async function login(
  world: World,
  given: string | undefined,
  options: LoginOptions,
): Promise<ExitCode> {
  const typed = options.withToken ? (await text(world.stdin)).trim() : undefined
  if (options.withToken && !typed)
    throw new CliError('--with-token reads the token from standard input; there was none')
  const url = await findUrl(world, { ...options, url: given ?? options.url })
  const place = await findPlace(world, options).catch(() => undefined)
  const client = await connect(world, place, { url, insecure: true, token: typed, attempts: 1 })
  const repository = place && { owner: place.owner, repo: place.repo }
  if (repository) await client.getSettings(repository)
  else await expectService(client)
  const file = await writeStored(world.env, { url, ...(typed && { token: typed }) })
  world.stdout.write(
    `${url} ${repository ? `shows ${repository.owner}/${repository.repo} to your token` : 'answers, and takes your token'}. Its address is in ${file}.\n`,
  )
  if (typed)
    world.stdout.write(
      `The token is in ${configFile(world.env)} too, in the clear, readable by you alone. To avoid that, use GITHUB_TOKEN or gh auth login.\n`,
    )
  if (exposesTokens(url))
    world.stdout.write(
      'Every command and hook needs --insecure or DECONFLICT_INSECURE=1 to send a token there.\n',
    )
  return EXIT.clear
}

/** Outside of a repository there is none to ask about: that a strange one is refused shows that the token is taken. */
async function expectService(client: Client): Promise<void> {
  try {
    await client.getSettings({ owner: 'deconflict', repo: 'deconflict' })
  } catch (error) {
    if (!(error instanceof DeconflictError) || error.type !== 'forbidden') throw error
  }
}
