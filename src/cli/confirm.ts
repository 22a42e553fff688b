import { createInterface } from 'node:readline/promises'
import type { CommandContext } from './context.ts'

/**
 * Asks the person at the terminal and resolves to whether the answer is "yes".
 *
 * @param consequence what happens then, a sentence
 */
export async function confirm(
  { output, stdin }: Pick<CommandContext, 'output' | 'stdin'>,
  consequence: string,
): Promise<boolean> {
  output.note(`${consequence} Type "yes" to continue:`)
  const lines = createInterface({ input: stdin })
  for await (const line of lines) return line.trim().toLowerCase() === 'yes'
  return false
}
