/** The App's webhook deliveries and redelivery requests. */
import { failure, type GithubResponse, json, notFound, perPage } from './github-reply.ts'
import type { PlainRoute, RouteContext } from './github-route.ts'
import type { HookDelivery } from './github-state.ts'

export const deliveryRoutes: PlainRoute[] = [
  { route: 'GET /app/hook/deliveries', answer: list },
  {
    route: 'POST /app/hook/deliveries/{id}/attempts',
    answer: (context) => {
      const delivery = asked(context)
      if (!delivery) return notFound()
      context.state.app.redelivered.push(delivery.id)
      return json(202, {})
    },
  },
]

/** Newest first, with pages by cursor instead of page numbers. */
function list({ state, query, self }: RouteContext): GithubResponse {
  const size = perPage(query)
  const cursor = query.get('cursor')
  const before = cursor === null ? Number.POSITIVE_INFINITY : Number(/^v1_(\d+)$/.exec(cursor)?.[1])
  if (Number.isNaN(before)) return failure(400, 'Invalid cursor')

  const older = state.app.deliveries.filter(({ id }) => id < before).reverse()
  const page = older.slice(0, size)
  const listed = page.map((delivery) => ({ ...delivery, throttled_at: null }))
  const answer = json(200, listed)
  const last = page.at(-1)
  if (last && older.length > page.length) {
    const there = new URLSearchParams(query)
    there.set('cursor', `v1_${last.id}`)
    answer.headers.link = `<${self}?${there}>; rel="next"`
  }
  return answer
}

function asked({ state, params }: RouteContext): HookDelivery | undefined {
  return state.app.deliveries.find(({ id }) => id === Number(params.id))
}
