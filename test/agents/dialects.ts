/** The streaming APIs of models, as far as coding agents need them: what a request has seen so far, and one reply to it. */

/** What the model does next: one call of a tool, or a text that ends its turn. */
export type Reply =
  | { text: string }
  | {
      tool: string
      input: Record<string, unknown>
      /** The input is this text instead of JSON (Codex). */
      free_form?: string
    }

export interface Dialect {
  /** Matches the path of a request for a reply; other requests get 404. */
  path: RegExp
  /** The number of results of tools in the request. */
  results(body: Json): number
  /** The server-sent events of a reply. */
  events(reply: Reply, id: string): Event[]
}

interface Event {
  name?: string
  data: object | '[DONE]'
}

// biome-ignore lint/suspicious/noExplicitAny: requests of other programs
export type Json = any

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : [])

/** Whether a request offers tools. Requests without tools ask for titles and the like. */
export const hasTools = ({ tools }: Json): boolean => list(tools).length > 0

/** Anthropic Messages. */
const messages: Dialect = {
  path: /\/v1\/messages(\?|$)/,
  results: ({ messages }) =>
    list(messages)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_result').length,
  events(reply, id) {
    const isCall = 'tool' in reply
    const block = isCall
      ? { type: 'tool_use', id: `toolu_${id}`, name: reply.tool, input: {} }
      : { type: 'text', text: '' }
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) }
      : { type: 'text_delta', text: reply.text }
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'stub', content: [], usage }
    const named = (data: { type: string } & Json): Event => ({ name: data.type, data })
    return [
      named({ type: 'message_start', message }),
      named({ type: 'content_block_start', index: 0, content_block: block }),
      named({ type: 'content_block_delta', index: 0, delta }),
      named({ type: 'content_block_stop', index: 0 }),
      named({ type: 'message_delta', delta: { stop_reason: isCall ? 'tool_use' : 'end_turn' }, usage }),
      named({ type: 'message_stop' }),
    ]
  },
}

/** OpenAI Responses. */
const responses: Dialect = {
  path: /\/responses$/,
  results: ({ input }) =>
    list(input).filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output')
      .length,
  events(reply, id) {
    const item = !('tool' in reply)
      ? { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text: reply.text }] }
      : reply.free_form === undefined
        ? { type: 'function_call', call_id: id, name: reply.tool, arguments: JSON.stringify(reply.input) }
        : { type: 'custom_tool_call', call_id: id, name: reply.tool, input: reply.free_form }
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    const named = (data: { type: string } & Json): Event => ({ name: data.type, data })
    return [
      named({ type: 'response.created', response: { id } }),
      named({ type: 'response.output_item.done', output_index: 0, item }),
      named({ type: 'response.completed', response: { id, usage } }),
    ]
  },
}

/** Gemini `streamGenerateContent`. */
const gemini: Dialect = {
  path: /:streamGenerateContent/,
  results: ({ contents }) =>
    list(contents)
      .flatMap(({ parts }) => list(parts))
      .filter(({ functionResponse }) => functionResponse).length,
  events(reply) {
    const part =
      'tool' in reply ? { functionCall: { name: reply.tool, args: reply.input } } : { text: reply.text }
    return [
      {
        data: {
          candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        },
      },
    ]
  },
}

/** OpenAI Chat Completions. */
const completions: Dialect = {
  path: /\/chat\/completions$/,
  results: ({ messages }) => list(messages).filter(({ role }) => role === 'tool').length,
  events(reply, id) {
    const isCall = 'tool' in reply
    const delta = isCall
      ? {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: `call_${id}`,
              type: 'function',
              function: { name: reply.tool, arguments: JSON.stringify(reply.input) },
            },
          ],
        }
      : { role: 'assistant', content: reply.text }
    const chunk = (choice: object): Event => ({
      data: {
        id,
        object: 'chat.completion.chunk',
        created: 0,
        model: 'stub',
        choices: [{ index: 0, finish_reason: null, ...choice }],
      },
    })
    return [
      chunk({ delta }),
      chunk({ delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' }),
      { data: '[DONE]' },
    ]
  },
}

export const DIALECTS = { messages, responses, gemini, completions }
