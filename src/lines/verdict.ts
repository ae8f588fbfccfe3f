/** Verdicts about files and pairs of works, and which of two is the stronger (contract §11). */

/** How the changes of two sides meet in a file, the strongest first; `noise` is for files whose conflicts say nothing. */
export const VERDICTS = ['conflict', 'unknown', 'agrees', 'touching', 'near', 'far', 'noise'] as const
export type Verdict = (typeof VERDICTS)[number]

/** How sure a conflict is: `likely` where the base branch changed between the lines, or at a place that repeats. */
export type Confidence = 'proved' | 'likely'

/** First and last line, on a side's own base. An insertion is named by the line before which it stands. */
export type LineRange = [first: number, last: number]

export interface LinesVerdict {
  verdict: Verdict
  /** Of a conflict; null of anything else. */
  confidence: Confidence | null
  /** Where the two meet or come nearest; null where that is not known. */
  your_lines: LineRange | null
  their_lines: LineRange | null
}

/** Sorts the stronger first: a proved conflict, a likely one, and then as `VERDICTS`. */
export function byStrength(
  a: Pick<LinesVerdict, 'verdict' | 'confidence'>,
  b: Pick<LinesVerdict, 'verdict' | 'confidence'>,
): number {
  return rank(a) - rank(b)
}

function rank({ verdict, confidence }: Pick<LinesVerdict, 'verdict' | 'confidence'>): number {
  return 2 * VERDICTS.indexOf(verdict) + (confidence === 'likely' ? 1 : 0)
}
