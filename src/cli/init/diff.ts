/** A file change as a diff for people. All changes to a file are in one place, so one hunk is enough. */
import type { Paint } from '../terminal.ts'
import type { FileChange } from './plan.ts'

const CONTEXT = 2

export function diffLines({ name, before, after }: FileChange, paint: Paint): string[] {
  const old = linesOf(before)
  const next = linesOf(after)
  const max = Math.min(old.length, next.length)
  let head = 0
  while (head < max && old[head] === next[head]) head += 1
  let tail = 0
  while (tail < max - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1
  const from = Math.max(0, head - CONTEXT)
  const note = before === undefined ? ' (new)' : after === undefined ? ' (deleted)' : ''
  return [
    paint('bold', `${name}${note}`),
    ...old.slice(from, head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => paint('red', `- ${line}`)),
    ...next.slice(head, next.length - tail).map((line) => paint('green', `+ ${line}`)),
    ...next.slice(next.length - tail, next.length - tail + CONTEXT).map((line) => `  ${line}`),
  ]
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.replace(/\n$/, '').split('\n')
}
