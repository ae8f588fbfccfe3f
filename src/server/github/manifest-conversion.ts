/** Creates the GitHub App from the manifest that a person confirmed on GitHub. */
import type { Octokit } from '@octokit/rest'
import { z } from 'zod'
import { Failure, unavailable } from '../../vocabulary/failure.ts'
import { statusOf } from './octokit.ts'

const TIMEOUT_MS = 10_000

const Conversion = z.object({
  id: z.int(),
  /** The App's public page. */
  html_url: z.url({ protocol: /^https?$/ }),
  pem: z.string(),
  webhook_secret: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
})

/**
 * Exchanges the code in GitHub's redirect for the credentials of the new App. A code is valid once, for an hour.
 * Throws `forbidden` if GitHub does not accept the code, and `service_unavailable`. One call, without a token.
 */
export async function convertManifest(github: Octokit, code: string): Promise<z.infer<typeof Conversion>> {
  let data: unknown
  try {
    const request = { signal: AbortSignal.timeout(TIMEOUT_MS) }
    data = (await github.rest.apps.createFromManifest({ code, request })).data
  } catch (error) {
    const status = statusOf(error)
    if (status === 404 || status === 422)
      throw new Failure(
        'forbidden',
        'GitHub does not accept the code of this set-up: it was used before, or is older than an hour. Open the address from the log again.',
      )
    throw unavailable('GitHub is unavailable, so the App was not created. Reload this page in a minute.')
  }
  const conversion = Conversion.safeParse(data)
  if (conversion.success) return conversion.data
  throw unavailable(
    'GitHub’s response does not contain the App’s credentials. Delete the App on GitHub, and open the address from the log again.',
  )
}
