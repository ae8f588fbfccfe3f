/** The states that a search has yet to visit, each once. The memory is reused between searches. */

/** A stack: the last state added is visited first. Only one search at a time can use it. */
export class Frontier {
  #stack = new Int32Array(256)
  #top = 0
  /** The number of the last search that added each state, so that nothing is cleared between searches. */
  #marks = new Int32Array(256)
  #search = 0

  /** Starts a search over states 0 to `size - 1`. */
  begin(size: number): void {
    if (size > this.#marks.length || this.#search === 0x7fffffff) {
      const room = Math.max(size, 2 * this.#marks.length)
      this.#marks = new Int32Array(room)
      this.#stack = new Int32Array(room)
      this.#search = 0
    }
    this.#search++
    this.#top = 0
  }

  /** Adds a state unless this search has added it before. */
  add(state: number): void {
    if (this.#marks[state] === this.#search) return
    this.#marks[state] = this.#search
    this.#stack[this.#top++] = state
  }

  /** Removes and returns a state; -1 when none is left. */
  take(): number {
    return this.#top === 0 ? -1 : (this.#stack[--this.#top] as number)
  }
}
