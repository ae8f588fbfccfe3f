/** What the benchmark and the process of the fake GitHub say to each other. */

export interface GithubSetUp {
  /** Open pull requests of each repository. */
  pulls: number
  repositories: number
  agents: number
  secret: string
}

export interface GithubGreeting {
  url: string
  app_id: number
  key: string
}

/** Deliveries are sent to the instances in turn. */
export type GithubTask =
  /** Installs the App in the template, and says so. */
  | { do: 'install'; urls: string[] }
  /** Opens that many pull requests in the template, or merges them, and says so. */
  | { do: 'opened' | 'merged'; urls: string[]; count: number }
  /** Adds the copies of the template, without a delivery. */
  | { do: 'copy' }
  /** Adds further repositories, and says so. */
  | { do: 'add'; urls: string[]; count: number }
  /** From now on every answer takes `delay_ms`, the limits hold, and `report` counts anew. */
  | { do: 'begin'; delay_ms: number }
  /** Sends deliveries, all at once. */
  | { do: 'burst'; urls: string[]; deliveries: number; conflicts: number }
  | { do: 'report' }

export interface BurstResult {
  /** How long it took until the last one was acknowledged. */
  ms: number
  /** Number of deliveries by status. */
  statuses: Record<string, number>
}

export interface GithubReport {
  /** Number of calls by route and status, such as `GET /pulls 304`. */
  calls: Record<string, number>
  /** Those of the installation that count for its limit of an hour. */
  counted: number
  /** Refused calls by limit. */
  refused: Record<string, number>
  /** Milliseconds from a delivery to the comment that it has to cause; null if there is none yet. */
  comments: (number | null)[]
}

export interface GithubReply {
  burst?: BurstResult
  report?: GithubReport
}
