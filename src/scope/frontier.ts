/** The states that a search has yet to visit, each once. The memory is reused between searches. */

/** Depth first: the last state added comes out first. One search at a time. */
export class Frontier {
  #stack = new Int32Array(256)
  #top = 0
  /** A state was added in this search if its mark is the search's number: no clearing between searches. */
  #marks = new Int32Array(256)
  #search = 0

  /** Begins a search over states 0 to `size - 1`. */
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

  /** Adds a state unless this search added it before. */
  add(state: number): void {
    if (this.#marks[state] === this.#search) return
    this.#marks[state] = this.#search
    this.#stack[this.#top++] = state
  }

  /** Takes a state out; -1 when none is left. */
  take(): number {
    return this.#top === 0 ? -1 : (this.#stack[--this.#top] as number)
  }
}
