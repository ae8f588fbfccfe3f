/** What one check of `deconflict doctor` found. */
export interface Finding {
  name: string
  is_ok: boolean
  /** What was found and, for a problem, what to do. */
  message: string
}
