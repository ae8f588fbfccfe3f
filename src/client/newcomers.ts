/** Leaves out what people wrote who are new to a repository, because agents read it. */
import { pullRequestName } from '../vocabulary/names.ts'
import type { Client } from './client.ts'

/** The activity without the title and the summary of a pull request by somebody who is new to the repository. */
function withoutNewcomersText<
  Given extends { id: string; title: string; by_newcomer?: true | undefined; pr_url: string | null },
>(activity: Given): Given {
  const { id, by_newcomer, pr_url } = activity
  if (!by_newcomer) return activity
  const title = pullRequestName(pr_url) ?? id
  return { ...activity, title, ...('summary' in activity && { summary: title }) }
}

/** The client, in whose answers newcomers have no words. */
export function withoutNewcomers(client: Client): Client {
  return {
    ...client,
    listActivities: async (request) => {
      const page = await client.listActivities(request)
      return { ...page, items: page.items.map(withoutNewcomersText) }
    },
    getActivity: async (request) => withoutNewcomersText(await client.getActivity(request)),
    updateActivity: async (request) => withoutNewcomersText(await client.updateActivity(request)),
  }
}
