/** Seeded conflicts in withoutboats/heck. */
import type { Edit, Seed } from '../edits.ts'

/** A new module with a type that writes another case, and its test. */
function writer(
  name: string,
  { type, words, between }: { type: string; words: string; between: string },
): Edit[] {
  const expected = words === 'lowercase' ? `a${between}b` : `A${between}B`
  return [
    { file: 'src/lib.rs', find: 'mod kebab;', put: `#[allow(dead_code)]\nmod ${name};\nmod kebab;` },
    {
      file: `src/${name}.rs`,
      add: `use core::fmt;

use crate::{${words}, transform};

pub struct ${type}<'a>(pub &'a str);

impl fmt::Display for ${type}<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        transform(self.0, ${words}, |f| write!(f, "${between}"), f)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    #[test]
    fn writes() {
        assert_eq!(super::${type}("aB").to_string(), "${expected}");
    }
}
`,
    },
  ]
}

export const HECK: readonly Seed[] = [
  {
    kind: 'removed function',
    one: [{ word: 'lowercase', put: 'to_lower' }],
    other: writer('dot', { type: 'AsDotCase', words: 'lowercase', between: '.' }),
  },
  {
    kind: 'removed function',
    one: [{ word: 'capitalize', put: 'title_word' }],
    other: writer('slash', { type: 'AsSlashCase', words: 'capitalize', between: '/' }),
  },
  {
    kind: 'removed import',
    one: [
      { file: 'src/snake.rs', find: '{String, ToString}', put: '{ToString}' },
      {
        file: 'src/snake.rs',
        find: 'to_snake_case(&self) -> String',
        put: 'to_snake_case(&self) -> Self::Owned',
      },
    ],
    other: [
      {
        file: 'src/snake.rs',
        find: '#[cfg(test)]',
        put: '/// The text in snake case.\npub fn snake(text: &str) -> String {\n    AsSnakeCase(text).to_string()\n}\n\n#[cfg(test)]',
      },
      { file: 'src/lib.rs', find: 'pub use snake::{', put: 'pub use snake::{snake, ' },
    ],
  },
  {
    kind: 'renamed method',
    one: [{ word: 'to_train_case', put: 'to_http_case' }],
    other: [
      {
        file: 'tests/header.rs',
        add: 'use heck::ToTrainCase;\n\n#[test]\nfn header() {\n    assert_eq!("aB".to_train_case(), "A-B");\n}\n',
      },
    ],
  },
  {
    kind: 'new required field',
    one: [
      {
        file: 'src/train.rs',
        find: 'AsTrainCase<T: AsRef<str>>(pub T);',
        put: 'AsTrainCase<T: AsRef<str>>(pub T, pub char);',
      },
      { file: 'src/train.rs', find: 'AsTrainCase(self)', put: "AsTrainCase(self, '-')" },
      { file: 'src/train.rs', find: 'AsTrainCase(sentence)', put: "AsTrainCase(sentence, '-')" },
      { file: 'src/train.rs', find: '|f| write!(f, "-"), f)', put: '|f| write!(f, "{}", self.1), f)' },
    ],
    other: [
      {
        file: 'tests/train.rs',
        add: 'use heck::AsTrainCase;\n\n#[test]\nfn train() {\n    assert_eq!(AsTrainCase("aB").to_string(), "A-B");\n}\n',
      },
    ],
  },
  {
    kind: 'duplicated name',
    one: [
      {
        file: 'src/lib.rs',
        find: 'pub use kebab::{',
        put: 'pub use kebab::AsKebabCase as AsDashCase;\npub use kebab::{',
      },
    ],
    other: [
      {
        file: 'src/lib.rs',
        find: 'pub use train::{',
        put: 'pub use train::AsTrainCase as AsDashCase;\npub use train::{',
      },
    ],
  },
  {
    kind: 'moved module',
    one: [
      { file: 'src/lib.rs', find: 'mod train;', put: 'mod http;' },
      { file: 'src/lib.rs', find: 'pub use train::', put: 'pub use http::' },
      { move: 'src/train.rs', to: 'src/http.rs' },
    ],
    other: [
      {
        file: 'src/shouty_kebab.rs',
        add: '\n#[allow(dead_code)]\nfn header(text: &str) -> alloc::string::String {\n    use crate::train::AsTrainCase;\n    AsTrainCase(text).to_string()\n}\n',
      },
    ],
  },
  {
    kind: 'changed signature',
    one: [
      {
        file: 'src/lib.rs',
        find: 'fn capitalize(s: &str, f: &mut fmt::Formatter)',
        put: 'fn capitalize(s: &str, _rest: bool, f: &mut fmt::Formatter)',
      },
      ...['title', 'train', 'upper_camel'].map((name) => ({
        file: `src/${name}.rs`,
        find: 'transform(self.0.as_ref(), capitalize,',
        put: 'transform(self.0.as_ref(), |s, f| capitalize(s, true, f),',
      })),
      { file: 'src/lower_camel.rs', find: 'capitalize(s, f)', put: 'capitalize(s, true, f)' },
    ],
    other: [
      { file: 'src/lib.rs', find: 'mod kebab;', put: 'mod first;\nmod kebab;' },
      {
        file: 'src/first.rs',
        add: `use core::fmt;

use crate::capitalize;

#[allow(dead_code)]
pub struct AsFirst<'a>(pub &'a str);

impl fmt::Display for AsFirst<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        capitalize(self.0, f)
    }
}
`,
      },
    ],
  },
]
