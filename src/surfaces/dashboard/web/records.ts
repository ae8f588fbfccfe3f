/** The records that the page shows, as the operations return them. */
import type { OutputOf } from '../../../operations/contract.ts'

export type Activity = OutputOf<'listActivities'>['items'][number]
export type FullActivity = OutputOf<'getActivity'>
export type Notable = OutputOf<'listNotables'>['items'][number]
export type FullNotable = OutputOf<'getNotable'>
export type Overlaps = OutputOf<'listOverlaps'>
export type Overlap = Overlaps['items'][number]
export type Signal = OutputOf<'getSignal'>
export type RepositoryOverview = OutputOf<'listRepositories'>
export type MergeOrder = OutputOf<'getMergeOrder'>
