/** The weight of a claim: how much its record raises the severity of an overlap (contract §6). Pure. */

export type Weight = 0 | 1 | 2
type Level = 'low' | 'medium' | 'high' | 'critical'

/** An activity weighs 2 if it blocks others, and 1 if its risk is high or critical. */
export function activityWeight({ risk, blocking }: { risk: Level; blocking: boolean }): Weight {
  if (blocking) return 2
  return risk === 'high' || risk === 'critical' ? 1 : 0
}

/** A notable weighs 2 if it is blocking or its importance is high or critical, and 1 if that is medium. */
export function notableWeight({ importance, blocking }: { importance: Level; blocking: boolean }): Weight {
  if (blocking || importance === 'high' || importance === 'critical') return 2
  return importance === 'medium' ? 1 : 0
}
