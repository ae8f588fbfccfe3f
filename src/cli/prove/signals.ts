/** Ends work with a signal of the process only after it has cleaned up. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Work was stopped by a signal. */
export class Stopped extends Error {}

/**
 * Runs `work` with an abort signal that SIGINT, SIGTERM or SIGHUP abort. When the work has ended after that, the process is
 * ended by the same signal.
 */
export async function untilSignal<Result>(work: (stopped: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  let received: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals) => {
    received = signal
    controller.abort()
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    if (received) process.kill(process.pid, received)
  }
}
