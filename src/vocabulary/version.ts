/** The version of this package, from package.json. */
import { createRequire } from 'node:module'
import { ROOT } from './root.ts'

export const { version: VERSION } = createRequire(ROOT)('./package.json') as { version: string }
