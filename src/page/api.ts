/** Requests to the service, authorised by the session cookie or by a token that stays in the tabs of this page. */
import { systemClock } from '../vocabulary/clock.ts'
import { PAGE_HEADER } from '../vocabulary/contract/route.ts'
import {
  type Activity,
  type FullActivity,
  type FullNotable,
  type List,
  type MergeOrder,
  type Notable,
  type Overlaps,
  parseAnswer,
  type RepositoryOverview,
  type RepositorySettings,
  type Signal,
  type Why,
} from './records.ts'

/** How many pages of a list are read; the page says when there are more. */
const LIST_PAGES_MAX = 10
const TIMEOUT_MS = 60_000
const TOKEN_KEY = 'deconflict-token'

/** A request that failed, with a message for the reader. */
export class Problem extends Error {
  /** 0 when there was no response. */
  readonly status: number
  /** The wait time from `Retry-After`; 0 without one. */
  readonly retry_after_ms: number

  constructor(status: number, message: string, retry_after_ms = 0) {
    super(message)
    this.status = status
    this.retry_after_ms = retry_after_ms
  }
}

export function problemOf(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, String(error))
}

export interface SessionState {
  can_sign_in: boolean
  is_signed_in: boolean
  /** The login of the session, or of the token of this tab; null if unknown. */
  login: string | null
  /** The web address of GitHub. */
  github_url: string
}

/** Where the browser blocks site data, every access to its storage throws. Then this keeps the token, until the page is loaded again. */
let unstored: string | null = null

/** The token of this tab; the browser deletes it with the tab. */
export const tabToken = {
  read: (): string | null => {
    try {
      return sessionStorage.getItem(TOKEN_KEY)
    } catch {
      return unstored
    }
  },
  /** Null: there is none any more. */
  store: (token: string | null): void => {
    unstored = token
    try {
      if (token === null) sessionStorage.removeItem(TOKEN_KEY)
      else sessionStorage.setItem(TOKEN_KEY, token)
    } catch {}
  },
}

/** The event of the window when the service answers 401: the session or the token of this tab is not valid. */
export const UNAUTHORIZED = 'deconflict-unauthorized'

/**
 * The answer, and when it was given by the service's clock, since the reader's may be wrong. `version`: the ETag of an earlier
 * answer; if it is still the same, the answer is null. Throws `Problem`.
 */
async function request(
  method: string,
  path: string,
  {
    body,
    key,
    signal,
    version,
  }: { body?: object; key?: string; signal?: AbortSignal; version?: string | undefined } = {},
) {
  const token = tabToken.read()
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const noAnswer = (): never => {
    if (timeout.aborted)
      throw new Problem(0, `The service did not answer within ${TIMEOUT_MS / 1000} seconds.`)
    throw new Problem(0, 'The service cannot be reached. Check that it is running and that you are online.')
  }
  const response = await fetch(path, {
    method,
    headers: {
      [PAGE_HEADER]: '1',
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...(key ? { 'Idempotency-Key': key } : {}),
      ...(version === undefined ? {} : { 'If-None-Match': version }),
    },
    body: body ? JSON.stringify(body) : null,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch(noAnswer)
  const answer = parseAnswer(await response.text().catch(noAnswer))
  if (response.status === 304) return { answer: null, etag: version, as_of_ms: 0 }
  if (response.ok && answer !== undefined)
    return {
      answer,
      etag: response.headers.get('ETag') ?? undefined,
      as_of_ms: Date.parse(response.headers.get('Date') ?? '') || systemClock().getTime(),
    }
  if (response.status === 401) dispatchEvent(new Event(UNAUTHORIZED))
  throw new Problem(
    response.status,
    answer?.error?.message ?? `A server in front of the service answered with status ${response.status}.`,
    Number(response.headers.get('Retry-After') ?? 0) * 1000 || 0,
  )
}

async function ask(...[method, path, options]: Parameters<typeof request>) {
  return (await request(method, path, options)).answer
}

export const session = {
  read: (signal: AbortSignal): Promise<SessionState> => ask('GET', '/session', { signal }),
  end: () => ask('POST', '/session/logout'),
}

/** The repositories with live work that the reader may see, and when they were read. */
export async function overview(signal: AbortSignal): Promise<RepositoryOverview & { as_of_ms: number }> {
  const { answer, as_of_ms } = await request('GET', '/api/v1/repos', { signal })
  return { ...answer, as_of_ms }
}

/** The operations on one repository, `owner/name`. */
export function repositoryAt(name: string) {
  const base = `/api/v1/repos/${name.split('/').map(encodeURIComponent).join('/')}`
  /** `onFirst` is called with the first page if there are more. */
  const list = async <Item>(
    path: string,
    signal: AbortSignal,
    onFirst?: (list: List<Item>) => void,
  ): Promise<List<Item>> => {
    const items: Item[] = []
    let as_of_ms = Infinity
    let cursor: string | null = ''
    for (let page = 0; cursor !== null && page < LIST_PAGES_MAX; page += 1) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const read = await request('GET', `${base}${path}?limit=100${after}`, { signal })
      items.push(...read.answer.items)
      cursor = read.answer.next_cursor
      as_of_ms = Math.min(as_of_ms, read.as_of_ms)
      if (page === 0 && cursor !== null) onFirst?.({ items: [...items], is_complete: true, as_of_ms })
    }
    return { items, is_complete: cursor === null, as_of_ms }
  }
  return {
    activities: (signal: AbortSignal, onFirst?: (list: List<Activity>) => void) =>
      list<Activity>('/activity', signal, onFirst),
    notables: (signal: AbortSignal) => list<Notable>('/notables', signal),
    /** Null if `version` is still that of the collisions. */
    overlaps: async (
      signal: AbortSignal,
      version?: string,
    ): Promise<{ answer: Overlaps; version: string | undefined } | null> => {
      const { answer, etag } = await request('GET', `${base}/overlaps`, { signal, version })
      return answer && { answer, version: etag }
    },
    settings: (signal: AbortSignal): Promise<RepositorySettings> =>
      ask('GET', `${base}/settings`, { signal }),
    signal: (signal: AbortSignal): Promise<Signal> => ask('GET', `${base}/signal`, { signal }),
    why: (number: number): Promise<Why> => ask('GET', `${base}/why?pull_request=${number}`),
    mergeOrder: (signal: AbortSignal): Promise<MergeOrder> => ask('GET', `${base}/merge-order`, { signal }),
    activity: (id: string): Promise<FullActivity> => ask('GET', `${base}/activity/${id}`),
    notable: (id: string): Promise<FullNotable> => ask('GET', `${base}/notables/${id}`),
    archiveActivity: (id: string) => ask('POST', `${base}/activity/${id}/archive`),
    archiveNotable: (id: string) => ask('POST', `${base}/notables/${id}/archive`),
    /** With the same key, it is made once. */
    createNotable: (body: object, key: string) => ask('POST', `${base}/notables`, { body, key }),
    leave: (): Promise<{ left: number }> => ask('POST', `${base}/farewell`),
  }
}

export type Repository = ReturnType<typeof repositoryAt>
