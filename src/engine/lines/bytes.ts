/** Encodes and decodes numbers: variable-length, of 32 bits, or of a few bits each. No read goes beyond the last byte. */

/** Variable-length numbers have at most 31 bits. */
const NUMBER_MAX = 0x7fffffff

export class ByteWriter {
  readonly #bytes: number[] = []

  byte(value: number): void {
    this.#bytes.push(value)
  }

  /** Writes a number from 0 to `NUMBER_MAX` with seven bits per byte, the lowest bits first. */
  number(value: number): void {
    if (!(value >= 0 && value <= NUMBER_MAX)) throw new RangeError(`${value} cannot be written`)
    let rest = value
    for (; rest > 0x7f; rest >>>= 7) this.byte((rest & 0x7f) | 0x80)
    this.byte(rest)
  }

  word(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.byte((value >>> shift) & 0xff)
  }

  /** Writes `width` bits of each item, the lowest bits first, padded to a whole byte. */
  bits<Item>(items: Iterable<Item>, width: number, numberOf: (item: Item) => number): void {
    let [held, count] = [0, 0]
    for (const item of items) {
      const value = numberOf(item)
      for (let bit = 0; bit < width; bit++) {
        held |= ((value >>> bit) & 1) << count++
        if (count < 8) continue
        this.byte(held)
        held = count = 0
      }
    }
    if (count > 0) this.byte(held)
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0
  /** Creates the exception for bytes that the writer cannot have written. */
  readonly error: (problem: string) => Error

  constructor(bytes: Uint8Array, error: (problem: string) => Error) {
    this.#bytes = bytes
    this.error = error
  }

  left(): number {
    return this.#bytes.length - this.#at
  }

  isAtEnd(): boolean {
    return this.left() === 0
  }

  byte(): number {
    if (this.isAtEnd()) throw this.error('it ends too early')
    return this.#bytes[this.#at++] as number
  }

  number(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte()
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) {
        if (value > NUMBER_MAX) break
        return value
      }
    }
    throw this.error('a number is too large')
  }

  word(): number {
    let value = 0
    for (let shift = 0; shift < 32; shift += 8) value |= this.byte() << shift
    return value >>> 0
  }

  /** Reads `count` values of `width` bits each. */
  bits(count: number, width: number): Uint32Array {
    const from = this.#at
    const length = Math.ceil((count * width) / 8)
    if (length > this.left()) throw this.error('it ends too early')
    this.#at += length
    const values = new Uint32Array(count)
    for (let bit = 0; bit < count * width; bit++) {
      if ((((this.#bytes[from + (bit >> 3)] as number) >> (bit & 7)) & 1) === 0) continue
      const index = Math.floor(bit / width)
      values[index] = (values[index] as number) | (1 << (bit % width))
    }
    return values
  }
}
