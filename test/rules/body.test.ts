/** Reading a request body: from a connection that closes, and the problems that are found before the text is parsed. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkShape, readJson } from '../../src/server/doors/http/body.ts'
import { Meter } from '../../src/vocabulary/clock.ts'
import { Failure } from '../../src/vocabulary/failure.ts'
import { listen } from '../support/listen.ts'

/** Runs `read` on a request whose client disconnects after sending only part of the body. */
async function onPartialRequest<Result>(read: (req: IncomingMessage) => Promise<Result>): Promise<Result> {
  const server = createServer()
  const { port, close } = await listen(server)
  const client = connect(port, '127.0.0.1')
  try {
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"title": ')
    const [req] = (await once(server, 'request')) as [IncomingMessage]
    req.on('error', () => {})
    const result = read(req)
    client.destroy()
    return await result
  } finally {
    await close()
  }
}

test.each([
  ['disconnects', async () => {}],
  ['had disconnected before', (req: IncomingMessage) => new Promise((resolve) => req.once('close', resolve))],
])('fails when the client %s', async (_, before) => {
  const read = onPartialRequest(async (req) => {
    await before(req)
    return readJson(req, new Meter())
  })
  const message = expect.stringContaining('before the body was complete')
  await expect(read).rejects.toMatchObject({ kind: 'invalid_request', message })
})

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const named = (count: number) => `{${Array.from({ length: count }, (_, at) => `"n${at}":1`).join()}}`

describe('is rejected:', () => {
  test.each([
    ['a duplicate name', '{"paths": ["a"], "paths": []}', 'paths'],
    ['further down', '{"scope": {"paths": ["a"], "areas": [], "paths": []}}', 'scope.paths'],
    ['in an object in a list', '[{"a":1},{"b":[1,2],"b":2}]', '[1].b'],
    ['with another escape', '{"paths": ["a"], "p\\u0061ths": []}', 'paths'],
    ['with whitespace before the colon', '{"a" : 1, "a"\n\t:2}', 'a'],
    ['after a nested object', '{"a":{"b":{"c":1}},"a":2}', 'a'],
    ['after a string with special characters', '{"a":"}]{[\\"a\\":,\\\\","a":2}', 'a'],
    ['__proto__', '{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('%s', (_, json, param) => {
    expect(() => checkShape(json)).toThrow(
      expect.objectContaining({ param, message: expect.stringContaining('appears twice') }),
    )
  })

  // Threat: Large, deep or ambiguous bodies
  test('nesting of more than 32', () => {
    expect(() => checkShape(nested(32))).not.toThrow()
    expect(() => checkShape(nested(33))).toThrow('more than 32 levels deep')
    expect(() => checkShape('{"a":'.repeat(33))).toThrow('deep')
  })

  test('more than 100 names in one object', () => {
    expect(() => checkShape(named(100))).not.toThrow()
    expect(() => checkShape(named(101))).toThrow('at most 100 fields')
  })
})

test('nothing that JSON.stringify writes is rejected', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(() => checkShape(JSON.stringify(value, null, 1))).not.toThrow()
    }),
  )
})

test('a duplicate name is found in any context', () => {
  const name = fc.string({ unit: 'binary', maxLength: 5 })
  const others = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  fc.assert(
    fc.property(name, others, fc.jsonValue({ maxDepth: 2 }), (name, rest, value) => {
      const { [name]: _, ...between } = rest
      const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`
      const middle = Object.entries(between).map(
        ([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`,
      )
      expect(() => checkShape(`{${[member, ...middle, member].join()}}`)).toThrow('appears twice')
    }),
  )
})

test('invalid JSON is read to its end without harm', () => {
  const parts = fc.array(fc.constantFrom('"', '\\', '{', '}', '[', ']', ':', ',', 'a', ' ', '\\u'))
  const isHarmless = (text: string[]) => {
    try {
      return checkShape(text.join('')) === undefined
    } catch (error) {
      return error instanceof Failure
    }
  }
  fc.assert(fc.property(parts, isHarmless), { numRuns: 2000 })
})
