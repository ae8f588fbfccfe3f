/** The repositories that this browser opened last. */
import { browserStorage } from './storage.ts'

const KEY = 'deconflict-recent'
const MAX = 8

export function recentNames(): string[] {
  return (browserStorage.read(KEY) ?? '').split(' ').filter(Boolean)
}

export function addRecent(name: string): void {
  const all = [name, ...recentNames().filter((each) => each !== name)].slice(0, MAX)
  browserStorage.write(KEY, all.join(' '))
}
