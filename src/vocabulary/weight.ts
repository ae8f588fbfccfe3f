/** The weight of a claim: how much its record raises the severity of an overlap. Pure. */

export type Weight = 0 | 1 | 2
type Level = 'low' | 'medium' | 'high' | 'critical'

/** An activity weighs 2 if it blocks others, and 1 if its risk is high or critical. */
export function activityWeight({ risk, blocking }: { risk: Level; blocking: boolean }): Weight {
  if (blocking) return 2
  return isRisky(risk) ? 1 : 0
}

export function isRisky(risk: Level): boolean {
  return risk === 'high' || risk === 'critical'
}

/** A notable weighs 2 if it is blocking or its importance is high or critical, and 1 if that is medium. */
export function notableWeight({ importance, blocking }: { importance: Level; blocking: boolean }): Weight {
  if (blocking || importance === 'high' || importance === 'critical') return 2
  return importance === 'medium' ? 1 : 0
}

/** Whether a notable is blocking, or of high or critical importance. */
export function isHigh(notable: { importance: Level; blocking: boolean }): boolean {
  return notableWeight(notable) === 2
}
