/** The part of the demo with pull requests: comments by file, by lines and by number, and a merge that archives an activity. */
import { setTimeout as wait } from 'node:timers/promises'
import { editOf } from '../test/support/lines.ts'
import { installationEvent, pullRequestEvent, signedDelivery } from '../test/support/webhooks.ts'
import type { FakeGithubServer } from './fake-github-server.ts'
import { conclude, detail, frame, heading, type Narrator, quote } from './narrate.ts'

const SHOP = 'acme/shop'
/** Pull requests are rechecked by a background worker, which may take this long on a slow machine. */
const TIMEOUT_MS = 30_000
const POLL_MS = 100

export interface DemoService {
  url: string
  github: FakeGithubServer['github']
  webhook_secret: string
}

/** Cy's pull request gets a comment; Ben's is merged, which archives his activity. Throws when either does not happen. */
export async function demoPullRequests(service: DemoService, ben: Narrator): Promise<void> {
  const { app, at } = service.github
  const shop = at(SHOP)
  const files = ['src/checkout/retry.ts']

  heading('The GitHub App is installed, and Ben opens a pull request for the work that his agent declared')
  const installation = app.install({ repositories: [SHOP] })
  await deliver(service, installationEvent(service.github, installation, 'created'))
  const bens = shop.open({ title: 'Tidy the retries', head: 'tidy-retries', author: 'ben', files })
  await deliverPullRequest(service, bens.number, 'opened')
  const linked = await until('the pull request to be linked to the activity', async () => {
    const { body } = await ben.quietly('GET', '/activity?status=ready-for-review')
    return body.items.find((item: { branch: string }) => item.branch === 'tidy-retries')
  })
  detail(`     activity ${linked.id} is now ${linked.status}, with pr_url ${linked.pr_url}`)
  conclude('The GitHub App is installed. Ben’s pull request is linked to his activity.', {
    text: 'A pull request is linked to the activity of its branch.',
  })

  heading('Cy, who does not use Deconflict, opens a pull request that changes the same file')
  const cys = shop.open({ title: 'Cap the retries', head: 'cap-retries', author: 'cy', files })
  await deliverPullRequest(service, cys.number, 'opened')
  const comment = await until('the comment on the pull request', async () => shop.comments(cys.number)[0])
  detail(`   On pull request #${cys.number}, by ${comment.app}[bot]:`)
  quote(comment.body)
  conclude('Cy’s pull request changes the same file. It came later, so it gets the one comment.', {
    text: 'Only Cy’s pull request gets a comment, because it came later. There is only ever one, edited in place.',
    isWarning: true,
  })
  if (shop.comments(bens.number).length > 0)
    throw new Error('the pull request that was there first got a comment')

  heading('Ben’s pull request is merged')
  shop.merge(bens.number)
  await deliverPullRequest(service, bens.number, 'closed')
  await until('the activity to be archived', async () => {
    const { body } = await ben.quietly('GET', `/activity/${linked.id}`)
    return body.status === 'archived' ? body : undefined
  })
  await ben('GET', `/activity/${linked.id}`, { show: ['status', 'archived_at', 'archive_reason'] })
  conclude('Ben’s pull request is merged. Its activity is archived.', {
    text: 'The merge archived the activity. Within 30 seconds Cy’s comment says to rebase over it, until Cy pushes.',
  })
}

/** Two pull requests change one file: far apart without a comment, then on the same lines with one. Throws if not. */
export async function demoLines(service: DemoService, ben: Narrator): Promise<void> {
  const shop = service.github.at(SHOP)
  const base = Array.from({ length: 120 }, (_, at) => `rank(${at + 1})`)
  const edit = (at: number, text: string) =>
    ({ filename: 'src/search/rank.ts', status: 'modified', patch: editOf(base, at, 3, [text]) }) as const

  heading('Dan and Eve open pull requests that change one file, far apart')
  const dans = shop.open({
    title: 'Rank by price',
    head: 'price',
    author: 'dan',
    files: [edit(40, 'byPrice()')],
  })
  await deliverPullRequest(service, dans.number, 'opened')
  const eves = shop.open({
    title: 'Rank by date',
    head: 'date',
    author: 'eve',
    files: [edit(100, 'byDate()')],
  })
  await deliverPullRequest(service, eves.number, 'opened')
  const id = await until('the activity of the pull request', async () => {
    const { body } = await ben.quietly('GET', '/activity')
    return body.items.find((item: { branch: string }) => item.branch === eves.head.ref)?.id as
      | string
      | undefined
  })
  await ben('GET', `/activity/${id}`, { show: ['title', 'overlap'] })
  conclude('Dan and Eve change one file, far apart. The lines decide: nobody gets a comment.', {
    text: 'The lines decide: this needs no comment.',
  })

  heading('Eve pushes a change of the lines that Dan changes')
  if (shop.comments(eves.number).length > 0) throw new Error('a change far away got a comment')
  const push = shop.pushTo(eves.number)
  shop.update(eves.number, { files: [edit(41, 'byDate()')] })
  await deliverPullRequest(service, eves.number, { action: 'synchronize', push })
  const comment = await until('the comment on the pull request', async () => shop.comments(eves.number)[0])
  detail(`   On pull request #${eves.number}, by ${comment.app}[bot]:`)
  quote(comment.body)
  conclude('Eve pushes to the lines that Dan changes, so her pull request gets a comment:', {
    text: 'Eve’s pull request gets the comment, because her push caused the conflict. Dan’s gets none.',
    isWarning: true,
  })
  frame(plainText(comment.body))
  if (shop.comments(dans.number).length > 0) throw new Error('both sides of the conflict got a comment')
}

/** Two pull requests take the same number for a migration, which git merges without a word. Throws if nobody is told. */
export async function demoNumbers(service: DemoService): Promise<void> {
  const shop = service.github.at(SHOP)
  shop.write('db/migrations/0041_users.sql', 'create table users ();')
  const add = (name: string) =>
    ({
      filename: `db/migrations/${name}`,
      status: 'added',
      patch: `@@ -0,0 +1,1 @@\n+-- ${name}`,
    }) as const

  heading('Fay and Gus each add a migration, and both call it 0042')
  const fays = shop.open({ title: 'Carts', head: 'carts', author: 'fay', files: [add('0042_carts.sql')] })
  await deliverPullRequest(service, fays.number, 'opened')
  const guss = shop.open({ title: 'Orders', head: 'orders', author: 'gus', files: [add('0042_orders.sql')] })
  await deliverPullRequest(service, guss.number, 'opened')
  const comment = await until('the comment on the pull request', async () => shop.comments(guss.number)[0])
  detail(`   On pull request #${guss.number}, by ${comment.app}[bot]:`)
  quote(comment.body)
  conclude('Fay and Gus each add a migration 0042. Git would merge both, and break the main branch:', {
    text: 'The files are different, so git merges both without a conflict. The comment names the next free number.',
    isWarning: true,
  })
  frame(plainText(comment.body))
}

/** What a comment says, without Markdown and its footer: a line for each sentence. */
function plainText(comment: string): string[] {
  const [, ...paragraphs] = comment.split('\n\n').slice(0, -1)
  if (paragraphs.length === 0) throw new Error('the comment says nothing')
  return paragraphs
    .flatMap((paragraph) => paragraph.split(/(?<=\.) /))
    .map((line) => line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/`|\*\*|<[^>]*>/g, ''))
}

type PullEvent = Parameters<typeof pullRequestEvent>[3]

function deliverPullRequest(service: DemoService, number: number, event: PullEvent): Promise<void> {
  return deliver(service, pullRequestEvent(service.github, SHOP, number, event))
}

async function deliver(
  { url, webhook_secret }: DemoService,
  webhook: ReturnType<typeof pullRequestEvent>,
): Promise<void> {
  const delivery = signedDelivery({ secret: webhook_secret, ...webhook })
  const response = await fetch(`${url}/api/github/webhooks`, { method: 'POST', ...delivery })
  const { action } = webhook.payload as { action: string }
  detail(
    `   GitHub delivers ${webhook.event} ${action}, signed → ${response.status} ${await response.text()}`,
  )
}

/** Polls until `find` returns a value. */
async function until<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
  for (let waited = 0; waited < TIMEOUT_MS; waited += POLL_MS) {
    const found = await find()
    if (found !== undefined) return found
    await wait(POLL_MS)
  }
  throw new Error(`the demo timed out waiting for ${what}`)
}
