/** What the page asks of the service, with the session's cookie or with a token that stays in this tab. */
import { createParser } from 'eventsource-parser'
import type { Activity, FullActivity, FullNotable, Notable, Overlaps } from './records.ts'

/** How many pages of a list are read; the rest is said to be left out. */
const PAGES_MAX = 10
const TOKEN = 'deconflict-token'
const RETRY_MS = 3000
/** Tries that fail come less and less often: a token that is refused stays refused. */
const RETRY_MAX_MS = 60_000

/** What went wrong, in the service's own words. */
export class Problem extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface SessionState {
  can_sign_in: boolean
  is_signed_in: boolean
  login: string | null
}

/** The token of this tab; it goes with the tab. */
export const tabToken = {
  read: () => sessionStorage.getItem(TOKEN),
  keep: (token: string) => sessionStorage.setItem(TOKEN, token),
  forget: () => sessionStorage.removeItem(TOKEN),
}

function headers(): Record<string, string> {
  const token = tabToken.read()
  return { 'X-Deconflict-Page': '1', ...(token ? { Authorization: `Bearer ${token}` } : {}) }
}

async function ask(method: string, path: string, body?: object, signal?: AbortSignal) {
  const response = await fetch(path, {
    method,
    headers: { ...headers(), ...(body ? { 'Content-Type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    throw new Problem(0, 'The service does not answer. Is it running, and are you online?')
  })
  const answer = answerIn(await response.text())
  if (!response.ok || answer === undefined)
    throw new Problem(
      response.status,
      answer?.error?.message ?? `Something on the way to the service answered ${response.status}.`,
    )
  return answer
}

/** Undefined for what is no JSON: the page of a proxy, whose service is away. */
function answerIn(text: string) {
  try {
    return text ? JSON.parse(text) : {}
  } catch {
    return undefined
  }
}

export const session = {
  show: (): Promise<SessionState> => ask('GET', '/session'),
  end: () => ask('POST', '/session/logout'),
}

/** The service's operations on one repository, `owner/name`. */
export function repositoryAt(name: string) {
  const at = `/api/v1/repos/${name.split('/').map(encodeURIComponent).join('/')}`
  const all = async <Item>(
    path: string,
    signal: AbortSignal,
  ): Promise<{ items: Item[]; is_whole: boolean }> => {
    const items: Item[] = []
    let cursor: string | null = null
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const more: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
      const answer = await ask('GET', `${at}${path}?limit=100${more}`, undefined, signal)
      items.push(...answer.items)
      cursor = answer.next_cursor
      if (cursor === null) return { items, is_whole: true }
    }
    return { items, is_whole: false }
  }
  return {
    activities: (signal: AbortSignal) => all<Activity>('/activity', signal),
    notables: (signal: AbortSignal) => all<Notable>('/notables', signal),
    overlaps: (signal: AbortSignal): Promise<Overlaps> => ask('GET', `${at}/overlaps`, undefined, signal),
    activity: (id: string): Promise<FullActivity> => ask('GET', `${at}/activity/${id}`),
    notable: (id: string): Promise<FullNotable> => ask('GET', `${at}/notables/${id}`),
    archiveActivity: (id: string) => ask('POST', `${at}/activity/${id}/archive`),
    archiveNotable: (id: string) => ask('POST', `${at}/notables/${id}/archive`),
    createNotable: (body: object) => ask('POST', `${at}/notables`, body),
    updateNotable: (id: string, body: object) => ask('PATCH', `${at}/notables/${id}`, body),
  }
}

export type Repository = ReturnType<typeof repositoryAt>

export interface Heard {
  hello(may_write: boolean): void
  changed(): void
  /** The stream broke; another try is made soon. */
  lost(): void
}

/** Listens until `signal` is aborted; a stream that breaks is opened again. */
export async function listen(name: string, heard: Heard, signal: AbortSignal): Promise<void> {
  const path = `/events/${name.split('/').map(encodeURIComponent).join('/')}`
  let wait_ms = RETRY_MS
  while (!signal.aborted) {
    try {
      const response = await fetch(path, { headers: headers(), signal })
      if (!response.ok || !response.body) throw new Error(String(response.status))
      const parser = createParser({
        onEvent: ({ event, data }) => {
          if (event === 'hello') {
            wait_ms = RETRY_MS
            heard.hello(JSON.parse(data).may_write)
          }
          if (event === 'changed') heard.changed()
        },
      })
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) parser.feed(chunk.value)
    } catch {
      // Whatever broke it, it is tried again.
    }
    if (signal.aborted) return
    heard.lost()
    await new Promise((resolve) => setTimeout(resolve, wait_ms))
    wait_ms = Math.min(2 * wait_ms, RETRY_MAX_MS)
  }
}
