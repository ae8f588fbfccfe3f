/** Wakes the idle worker of this process when a job can run, so that the job does not wait for the next poll. */
export class Wakeup {
  #next = new AbortController()

  /** Ends the worker's pause. If the worker is busy, it skips its next pause. */
  wake(): void {
    this.#next.abort()
  }

  /** Aborted by the next `wake`. The worker gets it before it polls, because a job may become runnable during the poll. */
  arm(): AbortSignal {
    this.#next = new AbortController()
    return this.#next.signal
  }
}
