/** The part of the untyped package `fs-native-extensions` that is used here. */
declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on an open file; false when another process holds it. */
  export function tryLock(fd: number): boolean
}
