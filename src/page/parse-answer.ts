/** Parses what the service answers. Pure. */
import { withoutInvisible } from '../vocabulary/others-text.ts'

/** The JSON without invisible characters; undefined for any other text, such as the error page of a proxy. */
export function parseAnswer(text: string) {
  try {
    return text ? withoutInvisible(JSON.parse(text)) : {}
  } catch {
    return undefined
  }
}
