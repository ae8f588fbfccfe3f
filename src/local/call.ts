/** How a method of the client runs in one clone: it parses the request as the service does, and throws the same errors. */
import { type Client, DeconflictError } from '../client/client.ts'
import type { Clock } from '../vocabulary/clock.ts'
import {
  type InputOf,
  OPERATIONS,
  type OperationName,
  type OutputOf,
} from '../vocabulary/contract/contract.ts'
import { parse } from '../vocabulary/contract/parse.ts'
import { queryOf } from '../vocabulary/contract/route.ts'
import { Failure } from '../vocabulary/failure.ts'

/** A request whose input is parsed. */
export interface LocalCall<Name extends OperationName> {
  id: string
  input: InputOf<Name>
  idempotency_key?: string | undefined
  now: Date
}

export type Handlers = { [Name in OperationName]?: (call: LocalCall<Name>) => Promise<OutputOf<Name>> }

export function clientOf(handlers: Handlers, clock: Clock): Client {
  const methods = Object.entries(OPERATIONS).map(([name, { method, record, summary, input: schema }]) => [
    name,
    async (request: { id?: string; number?: number; input?: object; idempotency_key?: string } = {}) => {
      try {
        const handler = handlers[name as OperationName] as ((call: unknown) => Promise<unknown>) | undefined
        if (!handler) throw new Failure('not_found', `${summary}: ${NEEDS_SERVICE}`)
        const { id = String(request.number ?? ''), input = {}, idempotency_key } = request
        const [isGet, now] = [method === 'GET', clock()]
        try {
          const parsed = parse(schema, isGet ? queryOf(input) : input, isGet ? 'parameter' : 'field')
          return await handler({ id, input: parsed, idempotency_key, now })
        } catch (error) {
          // That there is no such record is said before what is wrong with the request.
          if (record !== null) await handlers[GET[record]]?.({ id, input: {}, now })
          throw error
        }
      } catch (error) {
        throw error instanceof Failure ? errorOf(error) : diskError(error)
      }
    },
  ])
  return Object.fromEntries(methods) as Client
}

const NEEDS_SERVICE = 'only a service can do this; set DECONFLICT_URL, or run deconflict login URL'
const GET = { act: 'getActivity', ntb: 'getNotable' } as const

function errorOf({ status, type, message, param }: Failure): DeconflictError {
  return new DeconflictError({ status, type, message, param: param ?? null })
}

/** What the system says about a disk, such as a full one, as an error of the client; any other error as it is. */
function diskError(error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  return errorOf(new Failure('internal_error', `the records of this clone cannot be written: ${message}`))
}

/** The fields that were sent: any other one would erase what is stored. */
export function given<Input extends object>(
  input: Input,
): { [Field in keyof Input]: Exclude<Input[Field], undefined> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never
}
