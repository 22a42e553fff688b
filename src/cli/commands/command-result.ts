import { ReportedError } from '../command-error.ts'
import type { Output } from '../output.ts'

/** What a command has to say: the caller prints it and ends the process. */
export interface CommandResult {
  /** For standard output: the result and nothing else, ending in a line break unless empty. */
  readonly output: string
  /** For standard error: why there is no result. */
  readonly error?: string
  /** 0 when the command did what it was asked. */
  readonly exitCode: number
}

/** Writes a result. @throws {ReportedError} when the command failed: everything has been said then */
export function conclude(output: Output, { output: text, error, exitCode }: CommandResult): void {
  output.verbatim(text)
  if (error !== undefined) output.note(error.trimEnd())
  if (exitCode !== 0) throw new ReportedError()
}
