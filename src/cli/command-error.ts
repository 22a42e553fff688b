/** A command cannot do what it was asked; the message says what is wrong and what is possible. Exit code 1. */
export class CommandError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'CommandError'
  }
}

/** The command line itself is wrong. Exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** A command failed and has said why. Exit code 1, no further message. */
export class ReportedError extends Error {}
