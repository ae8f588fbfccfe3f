/** The hooks in the settings of coding agents: JSON files that are other people’s too. */
import { z } from 'zod'
import { CliError } from '../world.ts'

type Json = Record<string, unknown>

/** Of a hook file: event → what runs then. */
export type Hooks = Record<string, Json[]>

/** By this, our own entries are known again. */
const OURS = /\bdeconflict hook\b/

const HookFile = z.looseObject({ hooks: z.record(z.string(), z.array(z.looseObject({}))).optional() })

/** `text` with our hooks in place of those of ours that are in it; everything else keeps its order. `shell`: what a new file begins with. */
export function withHooks(text: string | undefined, { hooks, shell }: { hooks: Hooks; shell: Json }): string {
  const file = text === undefined ? shell : parse(text)
  if (text !== undefined && isThere(file, hooks)) return text
  const bare = bareOf(file).hooks ?? {}
  const merged = { ...bare }
  for (const [event, entries] of Object.entries(hooks)) merged[event] = [...(bare[event] ?? []), ...entries]
  return print({ ...file, hooks: merged }, text)
}

/** `text` without our hooks, and without what is empty then; undefined when nothing else was in it. */
export function withoutHooks(text: string, { shell }: { shell: Json }): string | undefined {
  const file = parse(text)
  if (!OURS.test(text)) return text
  const { hooks, ...rest } = bareOf(file)
  const left = hooks && Object.keys(hooks).length > 0 ? { ...file, hooks } : rest
  const isShell = JSON.stringify(left) === JSON.stringify(shell)
  return isShell ? undefined : print(left, text)
}

/** Whether just these of our hooks are in the file, wherever. */
function isThere({ hooks = {} }: { hooks?: Hooks }, ours: Hooks): boolean {
  const listed = (all: Hooks) =>
    Object.entries(all).flatMap(([event, entries]) => entries.map((entry) => JSON.stringify([event, entry])))
  const found = listed(hooks).filter((entry) => OURS.test(entry))
  return found.length > 0 && found.sort().join() === listed(ours).sort().join()
}

function parse(text: string): Json & { hooks?: Hooks } {
  try {
    return HookFile.parse(JSON.parse(text))
  } catch {
    throw new CliError('is no JSON with hooks in it, or holds comments; it is left alone')
  }
}

function bareOf(file: Json & { hooks?: Hooks }): Json & { hooks?: Hooks } {
  if (!file.hooks) return file
  const kept = Object.entries(file.hooks)
    .map(([event, entries]): [string, Json[]] => [
      event,
      entries.filter((entry) => !OURS.test(JSON.stringify(entry))),
    ])
    .filter(([event, entries]) => entries.length > 0 || file.hooks?.[event]?.length === 0)
  return { ...file, hooks: Object.fromEntries(kept) }
}

/** With the indentation and the last line end that the file has. */
function print(file: Json, text = '{\n  }\n'): string {
  const indent = /^[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? '  '
  return `${JSON.stringify(file, null, indent)}${text.endsWith('\n') ? '\n' : ''}`
}
