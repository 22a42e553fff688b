import { ListenError } from './listen.ts'

/** Messages of causes that are told at most. */
const causesMax = 5

/**
 * The message with those of its causes, for the operator, who may know them.
 *
 * @param isComplete whether an error's own message says all there is to say
 */
export function errorText(
  error: unknown,
  isComplete: (error: unknown) => boolean = () => false,
): string {
  if (error instanceof Error && (error instanceof ListenError || isComplete(error))) {
    // Its cause is the same in the words of a library.
    return error.message
  }
  const messages: string[] = []
  for (let current = error; current !== undefined && messages.length < causesMax; ) {
    if (!(current instanceof Error)) return [...messages, String(current)].join(': ')
    const inner = current instanceof AggregateError ? current.errors[0] : current.cause
    if (current.message !== '') messages.push(current.message)
    current = inner
  }
  return messages.join(': ')
}
