/** Seeded conflicts in tkem/cachetools. */
import type { Seed } from '../edits.ts'

const INIT = 'src/cachetools/__init__.py'
const test = (name: string, text: string) => ({ file: `tests/test_${name}.py`, add: text })

export const CACHETOOLS: readonly Seed[] = [
  {
    kind: 'removed function',
    one: [{ word: 'typedmethodkey', put: 'typed_method_key' }],
    other: [
      {
        file: 'src/cachetools/typed.py',
        add: 'from .keys import typedmethodkey\n\n\ndef key_of(value):\n    return typedmethodkey(None, value)\n',
      },
      test(
        'typed',
        'from cachetools.typed import key_of\n\n\ndef test_typed():\n    assert key_of(1) != key_of(1.0)\n',
      ),
    ],
  },
  {
    kind: 'renamed parameter',
    one: [{ word: 'info', put: 'with_info' }],
    other: [
      test(
        'with_info',
        'import cachetools\n\n\ndef test_info():\n    assert cachetools.cached({}, info=True)(abs)(-1) == 1\n',
      ),
    ],
  },
  {
    kind: 'changed signature',
    one: [
      { file: 'src/cachetools/func.py', find: '(self, ttl, timer)', put: '(self, timer, ttl)' },
      {
        file: 'src/cachetools/func.py',
        find: '_UnboundTTLCache(ttl, timer)',
        put: '_UnboundTTLCache(timer, ttl)',
      },
    ],
    other: [
      {
        file: 'src/cachetools/func.py',
        add: '\n\ndef unbound(ttl):\n    return _UnboundTTLCache(ttl, time.monotonic)\n',
      },
      test(
        'unbound',
        'from cachetools import func\n\n\ndef test_unbound():\n    assert func.unbound(5).ttl == 5\n',
      ),
    ],
  },
  {
    kind: 'changed default',
    one: [
      {
        file: 'src/cachetools/func.py',
        find: 'def lru_cache(maxsize=128,',
        put: 'def lru_cache(maxsize=256,',
      },
    ],
    other: [
      test(
        'default_size',
        'from cachetools.func import lru_cache\n\n\ndef test_size():\n    assert lru_cache()(abs).cache_parameters()["maxsize"] == 128\n',
      ),
    ],
  },
  {
    kind: 'new required field',
    one: [
      {
        file: INIT,
        find: '(self, maxsize, timer, getsizeof=None)',
        put: '(self, maxsize, timer, name, getsizeof=None)',
      },
      {
        file: INIT,
        find: '(self, maxsize, timer, getsizeof)',
        put: '(self, maxsize, timer, "cache", getsizeof)',
      },
      {
        file: INIT,
        find: '(self, maxsize, timer, getsizeof)',
        put: '(self, maxsize, timer, "cache", getsizeof)',
      },
    ],
    other: [
      test(
        'timed',
        'import cachetools\n\n\ndef test_timed():\n    assert cachetools._TimedCache(10, lambda: 0).maxsize == 10\n',
      ),
    ],
  },
  {
    kind: 'duplicated name',
    one: [
      {
        file: INIT,
        find: '    def __contains__(self, key):',
        put: '    def peek(self, key):\n        return self.__data.get(key)\n\n    def __contains__(self, key):',
      },
      test(
        'peek',
        'import cachetools\n\n\ndef test_peek():\n    assert cachetools.Cache(2).peek(1) is None\n',
      ),
    ],
    other: [
      {
        file: INIT,
        find: '    @staticmethod\n    def getsizeof(value):',
        put: '    def peek(self, key):\n        return (key in self, key)\n\n    @staticmethod\n    def getsizeof(value):',
      },
      test(
        'peeked',
        'import cachetools\n\n\ndef test_peeked():\n    assert cachetools.Cache(2).peek(1) == (False, 1)\n',
      ),
    ],
  },
  {
    kind: 'changed constant',
    one: [
      {
        file: 'src/cachetools/keys.py',
        find: '_kwmark = (_HashedTuple,)',
        put: '_kwmark = (_HashedTuple, None)',
      },
    ],
    other: [
      test(
        'kwmark',
        'from cachetools.keys import _kwmark, hashkey\n\n\ndef test_mark():\n    assert hashkey(x=1) == (_kwmark[0], ("x", 1))\n',
      ),
    ],
  },
  {
    kind: 'moved module',
    one: [
      { word: 'cachetools.keys', put: 'cachetools._keys' },
      { file: INIT, find: 'from . import keys', put: 'from . import _keys as keys' },
      { file: 'src/cachetools/func.py', find: 'from . import keys', put: 'from . import _keys as keys' },
      { move: 'src/cachetools/keys.py', to: 'src/cachetools/_keys.py' },
    ],
    other: [
      {
        file: 'src/cachetools/hashing.py',
        add: 'from .keys import hashkey\n\n\ndef key_of(*args):\n    return hashkey(*args)\n',
      },
      test(
        'hashing',
        'from cachetools.hashing import key_of\n\n\ndef test_key():\n    assert key_of(1) == (1,)\n',
      ),
    ],
  },
]
