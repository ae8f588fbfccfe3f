/** One file that a part of `deconflict init` writes to. */
export interface Target {
  path: string
  is_executable?: boolean
  /** What Deconflict adds to the file, in a few words. */
  about(text: string): string
  /** The new content of the file, from its content. Undefined: no file. Throws `CliError` if the file must not be changed. */
  add(text: string | undefined): string | undefined
  remove(text: string): string | undefined
}
