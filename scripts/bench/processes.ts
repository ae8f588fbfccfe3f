/** What processes have used, by Linux. NaN on other systems. */
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_S = 100

/** The fields of `/proc/PID/stat` after the name of the program. */
function statOf(pid: number | string): number[] {
  try {
    return (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ').map(Number)
  } catch {
    return []
  }
}

/** Processor time that a process has used, in seconds. */
export function cpuSeconds(pid: number | string): number {
  const stat = statOf(pid)
  return ((stat[11] ?? Number.NaN) + (stat[12] ?? Number.NaN)) / TICKS_PER_S
}

/** The same of all processes with the parent of this one. */
export function cpuSecondsBeside(pid: number): number {
  const [, parent] = statOf(pid)
  const siblings = readdirSync('/proc').filter((each) => /^\d+$/.test(each) && statOf(each)[1] === parent)
  return siblings.reduce((sum, each) => sum + cpuSeconds(each), 0)
}

/** Resident memory of a process, in MB. */
export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}
