/** The full name of a repository on GitHub, such as `acme/shop`. Pure, and without imports, so that clients can use it. */

/** The characters that GitHub allows in both parts. `..` would change the route of a URL. */
const PART = /^(?!\.{1,2}$)[\w.-]{1,100}$/

export function isNamePart(text: string): boolean {
  return PART.test(text)
}

/** The parts of `acme/shop`; undefined for any other text. */
export function parseFullName(text: string): { owner: string; name: string } | undefined {
  const [owner = '', name = '', ...rest] = text.split('/')
  return rest.length === 0 && isNamePart(owner) && isNamePart(name) ? { owner, name } : undefined
}
