/** The part of the demo with pull requests: comments by file, by lines and by number, and a merge. Each step throws unless it shows what it says. */
import type { Deployment } from '../../test/support/deployment.ts'
import type { Installation } from '../../test/support/github-state.ts'
import { editOf } from '../../test/support/lines.ts'
import type { Webhook } from '../../test/support/webhook-payload.ts'
import { installationEvent, pullRequestEvent } from '../../test/support/webhooks.ts'
import { until } from '../bench/measure.ts'
import { type Agent, frame, tell, warn } from './screen.ts'

const SHOP = 'acme/shop'

interface DemoService {
  url: string
  deployment: Deployment
  api: Agent
}

/** Cy's pull request gets a comment; Ben's is merged, which archives his activity. */
export async function demoPullRequests(service: DemoService): Promise<void> {
  const { api } = service
  const { github } = service.deployment
  const shop = github.at(SHOP)
  const files = ['src/checkout/retry.ts']

  const [installation] = github.state.app.installations as [Installation]
  await deliver(service, installationEvent(github, installation, 'created'))
  const bens = shop.open({ title: 'Tidy the retries', head: 'tidy-retries', author: 'ben', files })
  await deliverPullRequest(service, bens.number, 'opened')
  const linked = await until('the pull request to be linked to the activity', async () => {
    const { items } = await api('GET', '/activity?status=ready-for-review')
    return items.find((item: { branch: string }) => item.branch === 'tidy-retries')
  })
  tell('The GitHub App is installed. Ben’s pull request is linked to his activity.')

  const cys = shop.open({ title: 'Cap the retries', head: 'cap-retries', author: 'cy', files })
  await deliverPullRequest(service, cys.number, 'opened')
  await commentOn(service, cys.number)
  if (shop.comments(bens.number).length > 0)
    throw new Error('the pull request that was there first got a comment')
  warn('Cy’s pull request changes the same file. It came later, so it gets the one comment.')

  shop.merge(bens.number)
  await deliverPullRequest(service, bens.number, 'closed')
  await until('the activity to be archived', async () => {
    const { status } = await api('GET', `/activity/${linked.id}`)
    return status === 'archived'
  })
  tell('Ben’s pull request is merged. Its activity is archived.')
}

/** Two pull requests change one file: far apart without a comment, then on the same lines with one. */
export async function demoLines(service: DemoService): Promise<void> {
  const shop = service.deployment.github.at(SHOP)
  const base = Array.from({ length: 120 }, (_, at) => `rank(${at + 1})`)
  const edit = (at: number, text: string) =>
    ({ filename: 'src/search/rank.ts', status: 'modified', patch: editOf(base, at, 3, [text]) }) as const
  const open = async (author: string, head: string, at: number) => {
    const pull = shop.open({ title: `Rank by ${head}`, head, author, files: [edit(at, `by(${head})`)] })
    await deliverPullRequest(service, pull.number, 'opened')
    return pull
  }
  const dans = await open('dan', 'price', 40)
  const eves = await open('eve', 'date', 100)
  await until('the activity of the pull request', async () => {
    const { items } = await service.api('GET', '/activity')
    return items.find((item: { branch: string }) => item.branch === eves.head.ref)
  })
  if (shop.comments(eves.number).length > 0) throw new Error('a change far away got a comment')
  tell('Dan and Eve change one file, far apart. The lines decide: nobody gets a comment.')

  const push = shop.pushTo(eves.number)
  shop.update(eves.number, { files: [edit(41, 'by(date)')] })
  await deliverPullRequest(service, eves.number, { action: 'synchronize', push })
  const comment = await commentOn(service, eves.number)
  if (shop.comments(dans.number).length > 0) throw new Error('both sides of the conflict got a comment')
  warn('Eve pushes to the lines that Dan changes, so her pull request gets a comment:')
  frame(comment)
}

/** Two pull requests take the same number for a migration, which git merges without a word. */
export async function demoNumbers(service: DemoService): Promise<void> {
  const shop = service.deployment.github.at(SHOP)
  shop.write('db/migrations/0041_users.sql', 'create table users ();')
  const open = async (author: string, title: string) => {
    const filename = `db/migrations/0042_${title.toLowerCase()}.sql`
    const files = [{ filename, status: 'added', patch: `@@ -0,0 +1,1 @@\n+-- ${title}` } as const]
    const { number } = shop.open({ title, head: title.toLowerCase(), author, files })
    await deliverPullRequest(service, number, 'opened')
    return number
  }
  await open('fay', 'Carts')
  const comment = await commentOn(service, await open('gus', 'Orders'))
  warn('Fay and Gus each add a migration 0042. Git would merge both, and break the main branch:')
  frame(comment)
}

/** What the comment says, without Markdown and its footer: a line for each sentence. */
async function commentOn({ deployment: { github } }: DemoService, number: number): Promise<string[]> {
  const comments = () => github.at(SHOP).comments(number)
  const { body } = await until('the comment on the pull request', () => comments()[0])
  const [, ...paragraphs] = body.split('\n\n').slice(0, -1)
  return paragraphs
    .flatMap((paragraph) => paragraph.split(/(?<=\.) /))
    .map((line) => line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/`|\*\*|<[^>]*>/g, ''))
}

type PullEvent = Parameters<typeof pullRequestEvent>[3]

function deliverPullRequest(service: DemoService, number: number, event: PullEvent): Promise<void> {
  return deliver(service, pullRequestEvent(service.deployment.github, SHOP, number, event))
}

async function deliver({ url, deployment }: DemoService, webhook: Webhook): Promise<void> {
  const status = await deployment.deliver(url, webhook)
  if (status !== 202) throw new Error(`${webhook.event}: ${status}`)
}
