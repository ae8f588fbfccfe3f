/** Verdicts about files and about pairs of activities, and their order (docs/contract/lines.md#verdicts). */

/** How the changes of two sides relate in a file, the strongest first. `noise` is for files whose conflicts are mechanical. */
export const VERDICTS = ['conflict', 'unknown', 'agrees', 'touching', 'near', 'far', 'noise'] as const
export type Verdict = (typeof VERDICTS)[number]

/** The confidence of a conflict: `likely` if the base branch changed lines there too, or if the same lines occur elsewhere. */
export type Confidence = 'proved' | 'likely'

/** The first and last line in a side's own base. An insertion has the number of the line after it. */
export type LineRange = [first: number, last: number]

export interface LinesVerdict {
  verdict: Verdict
  /** Set for a conflict; otherwise null. */
  confidence: Confidence | null
  /**
   * Where the changes touch or come nearest; for the verdict `unknown`, from the first to the last changed line. Null if
   * not known.
   */
  your_lines: LineRange | null
  their_lines: LineRange | null
}

/** How lines relate; without a verdict they were not compared. */
export interface ComparedLines extends Omit<LinesVerdict, 'verdict'> {
  verdict: Verdict | null
}

export const NOT_COMPARED = { verdict: null, confidence: null, your_lines: null, their_lines: null }

/** Sorts by strength: a proved conflict, a likely conflict, and then in the order of `VERDICTS`. */
export function byStrength(
  a: Pick<LinesVerdict, 'verdict' | 'confidence'>,
  b: Pick<LinesVerdict, 'verdict' | 'confidence'>,
): number {
  return rank(a) - rank(b)
}

function rank({ verdict, confidence }: Pick<LinesVerdict, 'verdict' | 'confidence'>): number {
  return 2 * VERDICTS.indexOf(verdict) + (confidence === 'likely' ? 1 : 0)
}
