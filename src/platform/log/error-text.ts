import { inspect } from 'node:util'
import { DatabaseFolderUnusable } from '../database/database-folder.ts'
import { SchemaError } from '../database/schema-state.ts'
import { ListenError } from '../http/listen.ts'

/** Maximum number of causes in the text. */
const causesMax = 5

/**
 * The message of an error and its causes, for the operator, who may see them.
 *
 * @param isComplete whether an error's own message needs no causes
 */
export function errorText(
  error: unknown,
  isComplete: (error: unknown) => boolean = () => false,
): string {
  if (error instanceof Error && (isOurs(error) || isComplete(error))) {
    // Its cause repeats the message in a library's words.
    return error.message
  }
  const messages: string[] = []
  for (let current = error; current !== undefined && messages.length < causesMax; ) {
    if (!(current instanceof Error)) return [...messages, wordsOf(current)].join(': ')
    const inner = current instanceof AggregateError ? current.errors[0] : current.cause
    if (current.message !== '') messages.push(current.message)
    current = inner
  }
  return messages.join(': ')
}

/** Errors that say what happened, where and what to do. */
function isOurs(error: Error): boolean {
  return (
    error instanceof ListenError ||
    error instanceof DatabaseFolderUnusable ||
    error instanceof SchemaError
  )
}

/** Libraries throw objects that are not errors. */
function wordsOf(thrown: unknown): string {
  return typeof thrown === 'object' ? inspect(thrown, { breakLength: Infinity }) : String(thrown)
}
