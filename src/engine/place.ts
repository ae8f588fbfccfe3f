/** What a record takes or is called, as a text that only the same thing has: an area, a number or an issue. */
import { labelKey, type Scope } from '../vocabulary/contract/scope.ts'

/** The scope of a record as it is compared. */
export interface StoredScope extends Scope {
  /** The paths are file names without wildcards. */
  is_literal: boolean
  /** Names of changed files. */
  files: readonly string[]
  /** The places of its numbers, of its parents and of its issues. */
  taken: readonly string[]
}

/** The place of an area. */
export function areaPlace(label: string): string {
  return `#${labelKey(label)}`
}

/** The place of an issue, which all activities on it share. */
export function issuePlace(number: number): string {
  return `${ISSUE_MARK}${number}`
}

/** The first character of the place of an issue, and of no other. */
export const ISSUE_MARK = '!'
