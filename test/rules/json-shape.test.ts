/** Problems that are found in a JSON text before it is parsed: duplicate names, deep nesting, too many names. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shapeProblem } from '../../src/server/doors/http/json-shape.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const named = (count: number) => `{${Array.from({ length: count }, (_, at) => `"n${at}":1`).join()}}`

describe('is rejected:', () => {
  test.each([
    ['a duplicate name', '{"paths": ["a"], "paths": []}', 'paths'],
    ['with the same value', '{"a":1,"a":1}', 'a'],
    ['further down', '{"scope": {"paths": ["a"], "areas": [], "paths": []}}', 'paths'],
    ['in an object in a list', '[{"a":1},{"b":1,"b":2}]', 'b'],
    ['with another escape', '{"paths": ["a"], "p\\u0061ths": []}', 'paths'],
    ['with whitespace before the colon', '{"a" : 1, "a"\n\t:2}', 'a'],
    ['after a nested object', '{"a":{"b":{"c":1}},"a":2}', 'a'],
    ['after a string with special characters', '{"a":"}]{[\\"a\\":,\\\\","a":2}', 'a'],
    ['the empty one', '{"":1,"":2}', ''],
    ['__proto__', '{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('%s', (_, json, param) => {
    expect(shapeProblem(json)).toEqual({ param, message: expect.stringContaining('appears twice') })
  })

  // Threat: Large, deep or ambiguous bodies
  test('nesting of more than 32', () => {
    expect(shapeProblem(nested(32))).toBeUndefined()
    expect(shapeProblem(nested(33))).toEqual({ message: expect.stringContaining('more than 32 levels deep') })
    expect(shapeProblem('{"a":'.repeat(33))).toEqual({ message: expect.stringContaining('deep') })
  })

  test('more than 100 names in one object', () => {
    expect(shapeProblem(named(100))).toBeUndefined()
    expect(shapeProblem(named(101))).toEqual({ message: expect.stringContaining('at most 100 fields') })
  })
})

test('nothing that JSON.stringify writes is rejected', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(shapeProblem(JSON.stringify(value, null, 1))).toBeUndefined()
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
      expect(shapeProblem(`{${[member, ...middle, member].join()}}`)).toMatchObject({
        message: expect.stringContaining('appears twice'),
      })
    }),
  )
})

test('invalid JSON is read to its end without harm', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('"', '\\', '{', '}', '[', ']', ':', ',', 'a', ' ', '\\u')),
      (parts) => {
        expect(() => shapeProblem(parts.join(''))).not.toThrow()
      },
    ),
    { numRuns: 2000 },
  )
})
