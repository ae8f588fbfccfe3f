/** The hooks in the settings files of coding agents. The files also contain settings and hooks of other tools. Pure. */
import { z } from 'zod'
import type { Json } from '../agents/agent.ts'
import { CliError } from '../runtime.ts'
import { printJson } from './json-file.ts'

/** Event → entries that run for it. */
export type Hooks = Record<string, Json[]>

/** Recognizes our own entries. */
const OURS = /\bdeconflict hook\b/

const HookFile = z.looseObject({ hooks: z.record(z.string(), z.array(z.looseObject({}))).optional() })

/** Replaces our earlier hooks in `text` by `hooks`; the rest keeps its order. A new file starts from `template`. */
export function withHooks(
  text: string | undefined,
  { hooks, template }: { hooks: Hooks; template: Json },
): string {
  const file = text === undefined ? template : parse(text)
  if (text !== undefined && isUpToDate(file, hooks)) return text
  const others = withoutOurs(file).hooks ?? {}
  const merged = { ...others }
  for (const [event, entries] of Object.entries(hooks)) merged[event] = [...(others[event] ?? []), ...entries]
  return printJson({ ...file, hooks: merged }, text)
}

/** `text` without our hooks; undefined if only the template remains. */
export function withoutHooks(text: string, { template }: { template: Json }): string | undefined {
  const file = parse(text)
  if (!OURS.test(text)) return text
  const { hooks, ...rest } = withoutOurs(file)
  const remaining = hooks && Object.keys(hooks).length > 0 ? { ...file, hooks } : rest
  const isTemplate = JSON.stringify(remaining) === JSON.stringify(template)
  return isTemplate ? undefined : printJson(remaining, text)
}

/** Whether our hooks in the file are exactly `expected`, in any place. */
function isUpToDate({ hooks = {} }: { hooks?: Hooks }, expected: Hooks): boolean {
  const entriesOf = (all: Hooks) =>
    Object.entries(all).flatMap(([event, entries]) => entries.map((entry) => JSON.stringify([event, entry])))
  const found = entriesOf(hooks).filter((entry) => OURS.test(entry))
  return found.length > 0 && found.sort().join() === entriesOf(expected).sort().join()
}

function parse(text: string): Json & { hooks?: Hooks } {
  try {
    return HookFile.parse(JSON.parse(text))
  } catch {
    throw new CliError('was skipped: it is not a JSON file of hooks, or contains comments')
  }
}

/** Keeps an event without entries if it had none before. */
function withoutOurs(file: Json & { hooks?: Hooks }): Json & { hooks?: Hooks } {
  if (!file.hooks) return file
  const kept = Object.entries(file.hooks)
    .map(([event, entries]): [string, Json[]] => [
      event,
      entries.filter((entry) => !OURS.test(JSON.stringify(entry))),
    ])
    .filter(([event, entries]) => entries.length > 0 || file.hooks?.[event]?.length === 0)
  return { ...file, hooks: Object.fromEntries(kept) }
}
