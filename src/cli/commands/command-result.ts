/** What a command has to say: the caller prints it and ends the process. */
export interface CommandResult {
  /** For standard output: the result and nothing else, ending in a line break unless empty. */
  readonly output: string
  /** For standard error: why there is no result. */
  readonly error?: string
  /** 0 when the command did what it was asked. */
  readonly exitCode: number
}
