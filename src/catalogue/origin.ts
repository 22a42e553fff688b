/** A file that was read, and how to locate places in it. */
export interface SourceFile {
  /** Below the folder of the configuration. */
  readonly path: string
  /** The line of an offset in its text, from 1. */
  lineAt(offset: number): number
}

/** Where a container (an object or an array) and its members stand. Containers know their parents, so a path is made when it is needed. */
export interface Origin {
  readonly file: SourceFile
  readonly parent: Origin | undefined
  /** The name or the index in {@link parent}. */
  readonly key: string | number
  /** Offset of the container itself: its first member, or its bracket. */
  readonly start: number
  /** Names of the members of an object, in the order of the file; undefined for an array. */
  readonly names: string[] | undefined
  /** Offsets of the names, or of the items of an array. */
  readonly starts: number[]
}
