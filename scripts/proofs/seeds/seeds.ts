/** The seeded conflicts, by project. Each has eight. */
import type { Seed } from '../edits.ts'
import { CACHETOOLS } from './cachetools.ts'
import { HECK } from './heck.ts'
import { JMESPATH } from './jmespath.ts'
import { ROU3 } from './rou3.ts'
import { UFO } from './ufo.ts'

export const SEEDS: Readonly<Record<string, readonly Seed[]>> = {
  cachetools: CACHETOOLS,
  heck: HECK,
  jmespath: JMESPATH,
  rou3: ROU3,
  ufo: UFO,
}
