/** What changed in a repository, as the event stream sends it to open pages, so that they need no request. */
import type { OutputOf } from './contract.ts'

type Overlaps = OutputOf<'listOverlaps'>
type MergeOrder = OutputOf<'getMergeOrder'>

/** Changed records as lists show them. */
export interface ChangedRecords {
  /** When the records were read. */
  as_of: string
  /** The changed activities that are live, and the changed notables that are active. */
  activities: OutputOf<'listActivities'>['items']
  notables: OutputOf<'listNotables'>['items']
  /** The ids of the other changed records, and of the notables that a changed notable supersedes. */
  gone: string[]
}

/** The collisions of changed activities. */
export interface ChangedCollisions {
  /** The ids of the changed activities. */
  of: string[]
  /** All collisions that these activities have now. A collision that is not among them has ended. */
  collisions: Overlaps['items']
  /** The number of all collisions of the repository. */
  total: Overlaps['total']
  checked_against: Overlaps['checked_against']
  /** The first pull requests to merge, and how many more there are. */
  merge_order: Pick<MergeOrder, 'items' | 'reason'> & { more: number }
}
