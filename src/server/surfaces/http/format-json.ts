/** JSON as text for people, in the reference of the API. */

const LINE_MAX = 80

/** Indents JSON by two spaces. A value that fits on one line stays on one line. */
export function formatJson(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, null, 1)
    .replaceAll(/([[{])\n\s*|\n\s*(?=[\]}])/g, '$1')
    .replaceAll(/\n\s*/g, ' ')
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= LINE_MAX) return flat
  const deeper = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((each) => `${deeper}${formatJson(each, deeper)}`)
    : Object.entries(value).map(
        ([key, each]) => `${deeper}${JSON.stringify(key)}: ${formatJson(each, deeper)}`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}
