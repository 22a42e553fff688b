import type { Command } from 'commander'

const examplesOf = new WeakMap<Command, readonly string[]>()

/** Ends the help of a command with command lines to copy. Each must work as written, except for ids and names. */
export function addExamples(command: Command, lines: readonly string[]): Command {
  examplesOf.set(command, lines)
  const title = lines.length === 1 ? 'Example' : 'Examples'
  return command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

/** The examples of a command, for docs/commands.md. */
export function findExamples(command: Command): readonly string[] {
  return examplesOf.get(command) ?? []
}
