/** The records that the page shows, as the operations return them. */
import type { OutputOf } from '../vocabulary/contract/contract.ts'
import { parsedJson, withoutInvisible } from '../vocabulary/text.ts'

/** The JSON without invisible characters; undefined for any other text, such as the error page of a proxy. */
export function parseAnswer(text: string) {
  return text ? withoutInvisible(parsedJson(text)) : {}
}

export type Activity = OutputOf<'listActivities'>['items'][number]
export type FullActivity = OutputOf<'getActivity'>
export type Notable = OutputOf<'listNotables'>['items'][number]
export type FullNotable = OutputOf<'getNotable'>
export type Overlaps = OutputOf<'listOverlaps'>
export type Overlap = Overlaps['items'][number]
export type Signal = OutputOf<'getSignal'>
export type RepositoryOverview = OutputOf<'listRepositories'>
export type MergeOrder = OutputOf<'getMergeOrder'>
export type Why = OutputOf<'explainPullRequest'>
export type RepositorySettings = OutputOf<'getSettings'>

/** Each part is null until it was first read: the lists are shown before the collisions are known. */
export interface Records {
  activities: List<Activity> | null
  notables: List<Notable> | null
  overlaps: Overlaps | null
  merge_order: MergeOrder | null
  settings: RepositorySettings | null
}

export interface List<Item> {
  items: Item[]
  /** False where the list is longer than `items`. */
  is_complete: boolean
  /** When its first page was read, by the service's clock. */
  as_of_ms: number
}
