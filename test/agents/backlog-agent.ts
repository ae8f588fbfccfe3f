/** The model of a session that takes an issue of a backlog and, when it hears that somebody else holds it, another one. */
import type { WorkingTree } from '../support/working-tree.ts'
import type { Json, Reply } from './dialects.ts'
import type { ReplyTo } from './model.ts'
import type { Edit, Program } from './programs.ts'

/** An issue that the session took. */
export interface Attempt {
  issue: number
  /** In which request to the model since it took the issue it heard that somebody else holds it; null if in none. */
  heard_in: number | null
  is_edited: boolean
}

export interface BacklogAgent {
  attempts: Attempt[]
  /** The last request to the model, as JSON. */
  context: string
  replyTo: ReplyTo
}

export const fileOf = (issue: number) => `src/issues/${issue}.ts`
const EDIT: Edit = { from: 'export const is_fixed = false', to: 'export const is_fixed = true' }
export const CONTENT = `${EDIT.from}\n`

interface BacklogAgentOptions {
  program: Program
  /** The end of its branches, which no other session has. */
  name: string
  first: number
  /** The issue that it takes after these. */
  next(taken: number[]): number
  /** Runs when it is about to edit the file of the issue. */
  onEdit(issue: number): Promise<void>
  /** Resolves when the session may end. */
  untilEnd(): Promise<void>
}

/** Reads the file of its issue, edits it, and ends. It starts again with another issue as soon as it hears of a holder. */
export function backlogAgent(tree: WorkingTree, options: BacklogAgentOptions): BacklogAgent {
  const { program, name, next, onEdit, untilEnd } = options
  const path = (issue: number) => `${tree.path}/${fileOf(issue)}`
  const replies: (Reply | undefined)[] = []
  let since = 0
  let has_read = false
  const replyOf = async (turns: readonly Json[]): Promise<Reply | undefined> => {
    agent.context = JSON.stringify(turns.at(-1))
    const attempt = agent.attempts.at(-1) as Attempt
    const isHeld = agent.context.includes(`issue #${attempt.issue} is held by`)
    if (isHeld && attempt.heard_in === null) attempt.heard_in = turns.length - since
    if (attempt.is_edited) return untilEnd().then(() => undefined)
    if (isHeld) {
      const issue = next(agent.attempts.map((each) => each.issue))
      agent.attempts.push({ issue, heard_in: null, is_edited: false })
      since = turns.length
      has_read = false
      return program.shell(`git switch -q -c ${issue}-${name}`)
    }
    if (!has_read) {
      has_read = true
      return program.read(path(attempt.issue))
    }
    attempt.is_edited = true
    await onEdit(attempt.issue)
    return program.edit(path(attempt.issue), EDIT)
  }
  const agent: BacklogAgent = {
    attempts: [{ issue: options.first, heard_in: null, is_edited: false }],
    context: '',
    // A request that is repeated gets the same reply.
    async replyTo(results, turns) {
      if (!(results in replies)) replies[results] = await replyOf(turns)
      return replies[results]
    },
  }
  return agent
}

/** What Deconflict says in a request to a model: each text that begins with its name, up to the end of its paragraph. */
export function textsOfOurs(context: string): string[] {
  const texts: string[] = []
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(...(value.match(OURS) ?? []))
    else if (value !== null && typeof value === 'object') for (const each of Object.values(value)) walk(each)
  }
  walk(JSON.parse(context))
  return texts
}

const OURS = /Deconflict: (?:(?!\n\n|<\/|\nDeconflict: ).)*/gs
