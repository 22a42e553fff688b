import { inspect } from 'node:util'
import { CompleteError } from './complete-error.ts'

/** Messages in the text: those of the error and of its causes. */
const messagesMax = 5

/**
 * Describes an error to the operator: its message and those of its causes,
 * joined by colons; of a {@link CompleteError} its message alone.
 */
export function errorText(error: unknown): string {
  const messages: string[] = []
  for (let current = error; current !== undefined && messages.length < messagesMax; ) {
    if (!(current instanceof Error)) return [...messages, thrownText(current)].join(': ')
    if (current.message !== '') messages.push(current.message)
    if (current instanceof CompleteError) break
    current = current instanceof AggregateError ? current.errors[0] : current.cause
  }
  return messages.join(': ')
}

/** Libraries also throw objects that are not errors. */
function thrownText(thrown: unknown): string {
  return typeof thrown === 'object' ? inspect(thrown, { breakLength: Infinity }) : String(thrown)
}
