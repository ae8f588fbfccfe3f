/** The records that the page shows, as the operations return them. */
import type { ChangedCollisions, ChangedRecords } from '../vocabulary/contract/changed-records.ts'
import type { OutputOf } from '../vocabulary/contract/contract.ts'

export type Activity = OutputOf<'listActivities'>['items'][number]
export type FullActivity = OutputOf<'getActivity'>
export type Notable = OutputOf<'listNotables'>['items'][number]
export type FullNotable = OutputOf<'getNotable'>
export type Overlaps = OutputOf<'listOverlaps'>
export type Overlap = Overlaps['items'][number]
export type Signal = OutputOf<'getSignal'>
export type RepositoryOverview = OutputOf<'listRepositories'>
/** The first pull requests to merge, and how many more there are. */
export type MergeOrder = ChangedCollisions['merge_order']
export type { ChangedCollisions, ChangedRecords }
/** What an event of the stream says. */
export type Change = ChangedRecords | ChangedCollisions

export interface List<Item> {
  items: Item[]
  /** False where the list is longer than `items`. */
  is_complete: boolean
  /** When its first page was read, by the service's clock. */
  as_of_ms: number
}
