/** The statuses of an activity, and which of them are live, finished or closed. Pure. */

export const LIVE_STATUSES = [
  'planned',
  'active',
  'paused',
  'blocked',
  'draft-pr-open',
  'ready-for-review',
] as const
export const FINISHED_STATUSES = ['merged', 'abandoned'] as const
export const CLOSED_STATUSES = ['archived', 'expired'] as const
export type ActivityStatus = (
  | typeof LIVE_STATUSES
  | typeof FINISHED_STATUSES
  | typeof CLOSED_STATUSES
)[number]

export function isLive(status: ActivityStatus): boolean {
  return (LIVE_STATUSES as readonly ActivityStatus[]).includes(status)
}

export function isFinished(status: ActivityStatus): boolean {
  return (FINISHED_STATUSES as readonly ActivityStatus[]).includes(status)
}

export function isClosed(status: ActivityStatus): boolean {
  return (CLOSED_STATUSES as readonly ActivityStatus[]).includes(status)
}
