/** An example of the overview for the OpenAPI document. */
import type { OutputOf } from '../../../vocabulary/contract/contract.ts'

export const OVERVIEW: OutputOf<'listRepositories'> = {
  items: [
    {
      owner: 'acme',
      name: 'shop',
      live_activities: 12,
      collisions: { high: 1, medium: 2, low: 4 },
      active_notables: 2,
      high_notables: 1,
      people: 5,
      logins: ['ada', 'grace'],
      created_by_day: [1, 0, 0, 3, 4, 2, 5, 1, 0, 0, 2, 6, 4, 3],
      last_change_at: '2026-01-31T10:15:00.000Z',
    },
  ],
  complete: true,
}
