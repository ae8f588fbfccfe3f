/** Wakes the idle worker of this process when a job can run, so that the job does not wait for the next poll. */
export class Wakeup {
  #next = new AbortController()

  /** Ends the worker's pause; if it is not pausing, its next one. */
  wake(): void {
    this.#next.abort()
  }

  /** A signal that the next `wake` aborts. The worker takes it before it polls, because a job may become runnable meanwhile. */
  arm(): AbortSignal {
    this.#next = new AbortController()
    return this.#next.signal
  }
}
