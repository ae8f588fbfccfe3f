/** How severe a collision is whose lines were compared (contract §11). Pure. */
import type { Confidence, Verdict } from './verdict.ts'

type Severity = 'low' | 'medium' | 'high'

export interface JudgedPair {
  verdict: Verdict
  confidence: Confidence | null
  is_duplicate: boolean
  /** Of `unknown`: declared work sent no patch, so that nobody can say which lines it will change. */
  is_intention: boolean
}

/** Null if the pair shares nothing but noise: then it does not collide. */
export function verdictSeverity(
  pair: JudgedPair,
  other: { is_risky: boolean; is_blocking: boolean },
): Severity | null {
  if (pair.verdict === 'noise' && !pair.is_duplicate) return null
  if (other.is_blocking || pair.is_duplicate) return 'high'
  const severity = ofVerdict(pair)
  const isRaised = other.is_risky && (pair.verdict === 'conflict' || pair.verdict === 'unknown')
  return isRaised ? RAISED[severity] : severity
}

const RAISED: Record<Severity, Severity> = { low: 'medium', medium: 'high', high: 'high' }

function ofVerdict({ verdict, confidence, is_intention }: JudgedPair): Severity {
  switch (verdict) {
    case 'conflict':
      return confidence === 'proved' ? 'high' : 'medium'
    case 'unknown':
      return is_intention ? 'medium' : 'low'
    default:
      return 'low'
  }
}
