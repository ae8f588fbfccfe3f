/** The manifest from which GitHub creates the App: app.yml or app.readonly.yml, with the addresses of this service. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { ROOT } from '../../../vocabulary/root.ts'

/** GitHub's limit. */
const NAME_MAX = 34

const AppFile = z.strictObject({
  name: z.string(),
  description: z.string(),
  url: z.url(),
  public: z.boolean(),
  callback_urls: z.array(z.url()),
  hook_attributes: z.strictObject({ url: z.url(), active: z.boolean() }),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
})

export type AppFile = z.infer<typeof AppFile>

/** `is_read_only`: the App that may write nothing. */
export function readAppFile(is_read_only = false): AppFile {
  const name = is_read_only ? 'app.readonly.yml' : 'app.yml'
  return AppFile.parse(parse(readFileSync(new URL(name, ROOT), 'utf8')))
}

/** `organization`: the future owner; null for the user who creates the App. */
export function manifestOf(
  file: AppFile,
  { public_url, webhook_proxy_url }: { public_url: string; webhook_proxy_url: string | null },
  organization: string | null,
): object {
  return {
    ...file,
    // Names of Apps are unique on GitHub, so the owner is added. The user can change the name on GitHub.
    name: `${file.name} ${organization ?? new URL(public_url).hostname}`.slice(0, NAME_MAX),
    url: public_url,
    hook_attributes: {
      ...file.hook_attributes,
      url: webhook_proxy_url ?? `${public_url}/api/github/webhooks`,
    },
    redirect_url: `${public_url}/setup/created`,
    callback_urls: file.callback_urls.map((url) => url.replace(file.url, public_url)),
    setup_url: public_url,
  }
}
