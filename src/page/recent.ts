/** The repositories that this browser opened last. */
const KEY = 'deconflict-recent'
const MAX = 8

export function recentNames(): string[] {
  return (localStorage.getItem(KEY) ?? '').split(' ').filter(Boolean)
}

export function addRecent(name: string): void {
  const all = [name, ...recentNames().filter((each) => each !== name)].slice(0, MAX)
  localStorage.setItem(KEY, all.join(' '))
}
