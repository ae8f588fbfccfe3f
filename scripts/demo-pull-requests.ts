/** The part of the demo that happens on GitHub: pull requests of people who announced nothing, and the comment that one gets (contract §5 and §10). */
import { setTimeout as wait } from 'node:timers/promises'
import {
  installationEvent,
  type PullAction,
  pullRequestEvent,
  signedDelivery,
} from '../test/support/webhooks.ts'
import type { GithubStandIn } from './github-stand-in.ts'
import { explain, heading, type Narrator, quote, say } from './narrate.ts'

const SHOP = 'acme/shop'
/** The looks at pull requests are carried out by a worker; a slow machine may take this long. */
const PATIENCE_MS = 30_000
const POLL_MS = 100

export interface Stage {
  url: string
  github: GithubStandIn['github']
  webhook_secret: string
}

/** Cy opens a pull request, Deconflict comments on it, Ben's is merged and his work archived. Throws when one of that does not come. */
export async function playPullRequests(stage: Stage, ben: Narrator): Promise<void> {
  const { app, at } = stage.github
  const shop = at(SHOP)
  const files = ['src/checkout/retry.ts']

  heading('The GitHub App is installed, and Ben opens a pull request for the work that his agent declared')
  const installation = app.install({ repositories: [SHOP] })
  await deliver(stage, installationEvent(stage.github, installation, 'created'))
  const bens = shop.open({ title: 'Tidy the retries', head: 'tidy-retries', author: 'ben', files })
  await tell(stage, bens.number, 'opened')
  const tied = await until('the pull request ties itself to the activity', async () => {
    const { body } = await ben.quietly('GET', '/activity?status=ready-for-review')
    return body.items.find((item: { branch: string }) => item.branch === 'tidy-retries')
  })
  say(`     the activity ${tied.id} is now ${tied.status}, with pr_url ${tied.pr_url}`)

  heading('Cy, who never heard of any of this, opens a pull request that changes the same file')
  const cys = shop.open({ title: 'Cap the retries', head: 'cap-retries', author: 'cy', files })
  await tell(stage, cys.number, 'opened')
  const comment = await until('the comment on the pull request', async () => shop.comments(cys.number)[0])
  say(`   On pull request #${cys.number}, by ${comment.app}[bot]:`)
  quote(comment.body)
  explain('One comment, edited in place from now on, and only where there is something to say.')

  heading('Ben’s pull request is merged')
  shop.merge(bens.number)
  await tell(stage, bens.number, 'closed')
  await until('the archive', async () => {
    const { body } = await ben.quietly('GET', `/activity/${tied.id}`)
    return body.status === 'archived' ? body : undefined
  })
  await ben('GET', `/activity/${tied.id}`, { show: ['status', 'archived_at', 'archive_reason'] })
  explain(
    'The merge archived the work by itself. Cy’s comment will say so with its next edit, in half a minute.',
  )
}

function tell(stage: Stage, number: number, action: PullAction): Promise<void> {
  return deliver(stage, pullRequestEvent(stage.github, SHOP, number, action))
}

async function deliver(
  { url, webhook_secret }: Stage,
  webhook: ReturnType<typeof pullRequestEvent>,
): Promise<void> {
  const delivery = signedDelivery({ secret: webhook_secret, ...webhook })
  const response = await fetch(`${url}/api/github/webhooks`, { method: 'POST', ...delivery })
  const { action } = webhook.payload as { action: string }
  say(`   GitHub delivers ${webhook.event} ${action}, signed → ${response.status} ${await response.text()}`)
}

/** What `look` finds, as soon as it finds something. */
async function until<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const found = await look()
    if (found !== undefined) return found
    await wait(POLL_MS)
  }
  throw new Error(`the demo waited in vain for ${what}`)
}
