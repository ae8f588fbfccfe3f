/** How the reader is signed in: read until the service answers, and ended when it no longer accepts the sign-in. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { problemOf, type SessionState, session, tabToken, UNAUTHORIZED } from './api.ts'
import { SIGN_IN_PROBLEMS } from './sign-in.tsx'

const RETRY_MIN_MS = 1000
const RETRY_MAX_MS = 30_000

/** `state` is null until the service has answered. */
export function useSession() {
  const [state, setState] = useState<SessionState | null>(null)
  const [problem, setProblem] = useState(
    SIGN_IN_PROBLEMS[new URLSearchParams(location.search).get('problem') ?? ''] ?? '',
  )
  const [hasToken, setHasToken] = useState(tabToken.read() !== null)
  /** How many tokens were entered: the login is read again for each. */
  const [tokens, setTokens] = useState(0)
  const isSignedIn = hasToken || state?.is_signed_in === true

  useEffect(() => {
    const leaving = new AbortController()
    void readSession({ onState: setState, onProblem: setProblem }, leaving.signal)
    return () => leaving.abort()
  }, [tokens])

  const leave = useCallback(() => {
    tabToken.clear()
    setState((before) => before && { ...before, is_signed_in: false, login: null })
    setHasToken(false)
  }, [])
  const signOut = () =>
    session.end().then(leave, (error) => setProblem(`You are still signed in. ${problemOf(error).message}`))
  useEffect(() => {
    if (!isSignedIn) return
    const end = () => {
      setProblem(SIGN_IN_PROBLEMS.ended as string)
      leave()
      void session.end().catch(() => {})
    }
    // Several requests may fail at the same time.
    addEventListener(UNAUTHORIZED, end, { once: true })
    return () => removeEventListener(UNAUTHORIZED, end)
  }, [isSignedIn, leave])

  const useToken = (token: string) => {
    tabToken.store(token)
    setProblem('')
    setHasToken(true)
    setTokens((before) => before + 1)
  }
  return { state, problem, hasToken, isSignedIn, signOut, useToken }
}

/** The service may be restarting while the page is opened. */
async function readSession(
  { onState, onProblem }: { onState(state: SessionState): void; onProblem(text: string): void },
  signal: AbortSignal,
): Promise<void> {
  let hasFailed = false
  for (let wait_ms = RETRY_MIN_MS; !signal.aborted; wait_ms = Math.min(2 * wait_ms, RETRY_MAX_MS)) {
    try {
      const state = await session.read(signal)
      if (hasFailed) onProblem('')
      return onState(state)
    } catch (error) {
      if (signal.aborted) return
      const { message, retry_after_ms } = problemOf(error)
      hasFailed = true
      onProblem(`${message} The page keeps trying.`)
      await new Promise((resolve) => setTimeout(resolve, Math.max(wait_ms, retry_after_ms)))
    }
  }
}
