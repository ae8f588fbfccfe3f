/** Seeded conflicts in jmespath/jmespath.py. */
import type { Seed } from '../edits.ts'

const test = (name: string, text: string) => ({ file: `tests/test_${name}.py`, add: text })

export const JMESPATH: readonly Seed[] = [
  {
    kind: 'removed function',
    one: [{ word: 'with_repr_method', put: 'repr_method' }],
    other: [
      {
        file: 'jmespath/pretty.py',
        add: 'from jmespath.compat import with_repr_method\n\n\n@with_repr_method\nclass Pretty(object):\n    pass\n',
      },
      test('pretty', 'from jmespath.pretty import Pretty\n\n\ndef test_pretty():\n    assert Pretty()\n'),
    ],
  },
  {
    kind: 'renamed parameter',
    one: [{ word: 'dict_cls', put: 'mapping_cls' }],
    other: [
      test(
        'dict_options',
        'from jmespath.visitor import Options\n\n\ndef test_dict_class():\n    assert Options(dict_cls=dict).custom_functions is None\n',
      ),
    ],
  },
  {
    kind: 'changed signature',
    one: [
      {
        file: 'jmespath/ast.py',
        find: 'comparator(name, first, second)',
        put: 'comparator(first, second, name)',
      },
      { file: 'jmespath/parser.py', find: '(comparator, left, right)', put: '(left, right, comparator)' },
    ],
    other: [
      {
        file: 'jmespath/build.py',
        add: "from jmespath import ast\n\n\ndef equal(left, right):\n    return ast.comparator('eq', left, right)\n",
      },
      test(
        'build',
        "from jmespath import build\n\n\ndef test_equal():\n    assert build.equal(1, 2)['value'] == 'eq'\n",
      ),
    ],
  },
  {
    kind: 'changed default',
    one: [{ file: 'jmespath/parser.py', find: 'lookahead=2', put: 'lookahead=3' }],
    other: [
      test(
        'lookahead',
        'from jmespath.parser import Parser\n\n\ndef test_lookahead():\n    assert Parser()._buffer_size == 2\n',
      ),
    ],
  },
  {
    kind: 'new required field',
    one: [
      {
        file: 'jmespath/exceptions.py',
        find: '(self, expected, actual, name)',
        put: '(self, expected, actual, name, position)',
      },
      {
        file: 'jmespath/functions.py',
        find: 'len(args), function_name)',
        put: 'len(args), function_name, 0)',
      },
      {
        file: 'jmespath/functions.py',
        find: 'len(args), function_name)',
        put: 'len(args), function_name, 0)',
      },
    ],
    other: [
      test(
        'arity',
        "from jmespath.exceptions import ArityError\n\n\ndef test_arity():\n    assert 'Expected 1' in str(ArityError(1, 2, 'f'))\n",
      ),
    ],
  },
  {
    kind: 'duplicated name',
    one: [
      {
        file: 'jmespath/functions.py',
        find: '        return abs(arg)\n',
        put: "        return abs(arg)\n\n    @signature({'types': ['array']})\n    def _func_first(self, arg):\n        return arg[0]\n",
      },
      test(
        'first_item',
        "import jmespath\n\n\ndef test_first():\n    assert jmespath.search('first(@)', [3, 4]) == 3\n",
      ),
    ],
    other: [
      {
        file: 'jmespath/functions.py',
        add: "\n    @signature({'types': ['string']})\n    def _func_first(self, arg):\n        return arg[:1]\n",
      },
      test(
        'first_letter',
        "import jmespath\n\n\ndef test_first():\n    assert jmespath.search('first(@)', 'ab') == 'a'\n",
      ),
    ],
  },
  {
    kind: 'changed constant',
    one: [{ file: 'jmespath/parser.py', find: '_MAX_SIZE = 128', put: '_MAX_SIZE = 256' }],
    other: [
      test(
        'cache_size',
        'from jmespath import parser\n\n\ndef test_size():\n    assert parser.Parser._MAX_SIZE == 128\n',
      ),
    ],
  },
  {
    kind: 'moved module',
    one: [
      { word: 'jmespath.compat', put: 'jmespath._compat' },
      { move: 'jmespath/compat.py', to: 'jmespath/_compat.py' },
    ],
    other: [
      {
        file: 'jmespath/text.py',
        add: 'from jmespath.compat import text_type\n\n\ndef is_text(value):\n    return isinstance(value, text_type)\n',
      },
      test('text', "from jmespath.text import is_text\n\n\ndef test_text():\n    assert is_text('a')\n"),
    ],
  },
]
