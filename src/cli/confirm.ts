import { createInterface } from 'node:readline/promises'
import { ReportedError } from './command-error.ts'
import type { CommandContext } from './context.ts'

/**
 * Asks the person at the terminal and resolves when the answer is "yes".
 *
 * @param consequence what happens then, a sentence
 * @throws {ReportedError} for another answer: the command ends before it changed anything
 */
export async function confirm(
  { output, stdin }: Pick<CommandContext, 'output' | 'stdin'>,
  consequence: string,
): Promise<void> {
  output.note(`${consequence} Type "yes" to continue:`)
  const lines = createInterface({ input: stdin })
  for await (const line of lines) {
    if (line.trim().toLowerCase() === 'yes') return
    break
  }
  output.note('Nothing was changed.')
  throw new ReportedError()
}
