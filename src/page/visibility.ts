/** Whether the tab is visible. Hidden tabs hold no connection, because a browser opens only six to one host over HTTP/1.1. */

/** Resolves once the tab is visible, or `signal` is aborted. */
export function whenVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', check)
      signal.removeEventListener('abort', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
    signal.addEventListener('abort', check)
    check()
  })
}

/** Runs `work` with a signal that is aborted when the tab is hidden, or with `signal`. */
export async function whileVisible<Result>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const hidden = new AbortController()
  const check = () => {
    if (document.hidden) hidden.abort()
  }
  document.addEventListener('visibilitychange', check)
  try {
    return await work(AbortSignal.any([signal, hidden.signal]))
  } finally {
    document.removeEventListener('visibilitychange', check)
  }
}
