/** Kills the processes that a file left running. */
import { afterAll } from 'vitest'
import { killAll } from './process.ts'

afterAll(killAll)
