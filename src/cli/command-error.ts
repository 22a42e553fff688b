/** A command cannot do what it was asked; the message says what is wrong and what is possible. Exit code 1 unless given. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, options: { cause?: unknown; exitCode?: number } = {}) {
    super(message, options)
    this.name = 'CommandError'
    this.exitCode = options.exitCode ?? 1
  }
}

/** Exit code of a command that would take something from an application. */
export const breakingExitCode = 3

/** The command line itself is wrong. Exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** A command has said what it found, and its exit code says that too. No further message. */
export class ReportedError extends Error {
  readonly exitCode: number

  constructor(message?: string, { exitCode = 1 } = {}) {
    super(message)
    this.exitCode = exitCode
  }
}
