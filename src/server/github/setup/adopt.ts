/** Makes every instance use the GitHub App that `/setup` created on one of them, without a restart. */
import { ConfigError } from '../../platform/config.ts'
import { faultOf } from '../../platform/db/errors.ts'
import type { App } from '../../records/repositories/app.ts'
import { issueCode } from './codes.ts'
import { type CreatedApp, readCreatedApp } from './created-app.ts'

/** Channel on which an instance announces that it stored the App. */
const CHANNEL = 'deconflict_app'

/** Announces to all instances that the App is stored. */
export function announceCreatedApp({ database }: App): Promise<void> {
  return database.announce(CHANNEL, '')
}

/**
 * Uses the App that `/setup` created. If there is none yet, waits in the background for another instance to create it. Returns
 * the address of `/setup` with a one-time code; null if there is an App already, or no public address. Throws `ConfigError` if
 * the App cannot be read.
 */
export async function adoptCreatedApp(
  app: App,
  useCreatedApp: (created: CreatedApp) => Promise<void>,
): Promise<string | null> {
  const adopt = async () => {
    const created = await readCreatedApp(app)
    if (created) await useCreatedApp(created)
  }
  const adoptLater = () => {
    adopt().catch((error) =>
      app.log.error(
        error instanceof ConfigError ? { problem: error.message } : faultOf(error),
        'github app not loaded',
      ),
    )
  }
  await adopt()
  if (app.github_app) return null
  await app.database.listen(CHANNEL, { received: adoptLater, missed: adoptLater })
  const { public_url } = app.config
  return public_url && `${public_url}/setup?code=${await issueCode(app)}`
}
