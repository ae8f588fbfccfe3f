/** The objects that live as long as the process. */
import type { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Clock } from '../../../vocabulary/clock.ts'
import type { Access } from '../../github/access.ts'
import type { GithubApp } from '../../github/github-app.ts'
import type { ListLimits } from '../../github/repository-calls.ts'
import type { Watch } from '../../github/watched-repositories.ts'
import type { Wakeup } from '../../jobs/jobs.ts'
import type { BackgroundWork, SingleFlight } from '../../platform/background.ts'
import type { Config, OAuthClient } from '../../platform/config.ts'
import type { Database } from '../../platform/db/database.ts'
import type { AuditLog } from '../../platform/telemetry/audit.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { LiveSets } from '../live-sets/store.ts'

export interface App {
  config: Config
  clock: Clock
  log: Logger
  metrics: Metrics
  /** Null if `AUDIT_LOG` is not set. */
  audit: AuditLog | null
  database: Database
  access: Access
  /** When GitHub last showed a repository under a name. See `nameShown`. */
  names_shown: LRUCache<string, Date>
  /** Null without a GitHub App. `/setup` can create one while the service runs. */
  github_app: GithubApp | null
  /** Whether writes to GitHub, and imports, wait for their turn. */
  paces_writes: boolean
  list_limits: ListLimits
  /** See `Meter`. Only tests set it. */
  comparison_ms?: number
  /** The OAuth client that people sign in to the page with; null if there is none. `/setup` can create it too. */
  sign_in: OAuthClient | null
  /** Null if no repository is watched. */
  watch: Watch | null
  live_sets: LiveSets
  /** Overlaps of whole repositories, shared by concurrent callers. */
  comparisons: SingleFlight
  /** Work that follows responses. */
  background: BackgroundWork
  /** Invalidates cached permissions for the repositories of an account, on every instance. */
  invalidateAccess(owner: string): Promise<void>
  /** Makes the job worker of this instance poll now, for a job that was committed. */
  wakeup: Wakeup
}
