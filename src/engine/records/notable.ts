/** A notable as it is stored: in the database of a service, or in a file of a clone. */
import type { Category, Importance, NotableStatus } from '../../vocabulary/contract/notable.ts'
import type { Scope } from '../../vocabulary/contract/scope.ts'

export interface StoredNotable {
  id: string
  title: string
  summary: string
  category: Category
  importance: Importance
  status: NotableStatus
  decision_url: string | null
  supersedes: string[]
  superseded_by: string | null
  applies_until: Date | null
  scope: Scope
  blocking: boolean
  created_by: string | null
  expires_at: Date
  created_at: Date
  updated_at: Date
  archived_at: Date | null
}
