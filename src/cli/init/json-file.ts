/** JSON files that `deconflict init` changes in place. Pure. */

/** Formats JSON with the indentation and the final newline of `text`. */
export function printJson(file: object, text = '{\n  }\n'): string {
  const indent = /^[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? '  '
  return `${JSON.stringify(file, null, indent)}${text.endsWith('\n') ? '\n' : ''}`
}
