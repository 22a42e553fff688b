import { Readable } from 'node:stream'
import type { Command } from 'commander'
import type { CommandContext } from '../../src/cli/context.ts'
import { findExamples } from '../../src/cli/examples.ts'
import { createOutput } from '../../src/cli/output.ts'
import { commands, createProgram } from '../../src/cli/program.ts'

const silent = { write: () => true }

/** Describing commands reads none of this; running one would. */
const context: CommandContext = {
  env: {},
  settings: notRun,
  catalogue: notRun,
  registry: notRun,
  counters: notRun,
  output: createOutput({ stdout: silent, stderr: silent }),
  stdin: Readable.from([]),
  isTerminal: false,
  now: Date.now,
  actor: 'operator:docs',
}

function notRun(): never {
  throw new Error('the table of commands runs none of them')
}

const head = '| Command | What it does | Example |\n|---|---|---|'

/**
 * Every command as Markdown, with what it does and an example: those without commands of their own in one table, the
 * others in a section each. Ends with a line break.
 */
export async function commandsTable(): Promise<string> {
  const all = await Promise.all(Object.keys(commands).map(commandOf))
  const [single, groups] = [false, true].map((isGroup) =>
    all.filter((command) => command.commands.length > 0 === isGroup),
  )
  return [
    `${[head, ...(single ?? []).map(rowOf)].join('\n')}\n`,
    ...(groups ?? []).map(
      (group) => `### ${group.name()}\n\n${[head, ...group.commands.map(rowOf)].join('\n')}\n`,
    ),
  ].join('\n')
}

async function commandOf(name: string): Promise<Command> {
  const program = await createProgram(context, { stdout: silent, stderr: silent }, name)
  const command = program.commands.find((candidate) => candidate.name() === name)
  if (command === undefined) throw new Error(`the program has no command ${name}`)
  return command
}

function rowOf(command: Command): string {
  const names = [command.name()]
  for (let parent = command.parent; parent !== null; parent = parent.parent) {
    names.unshift(parent.name())
  }
  const options = command.options
    .filter(({ mandatory }) => mandatory)
    .map(({ flags }) => flags.replace(/^-\w, /, ''))
  const usage = [...names.slice(1), ...argumentsOf(command), ...options].join(' ')
  const [example = ''] = findExamples(command)
  return `| ${[`\`${usage}\``, firstSentence(command.description()), `\`${example}\``].map(cellText).join(' | ')} |`
}

/** `--help` has the rest. */
function firstSentence(text: string): string {
  return /^.*?[.](?= [A-Z]|$)/s.exec(text)?.[0] ?? text
}

function argumentsOf(command: Command): readonly string[] {
  return command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '…' : ''}`
    return argument.required ? `<${name}>` : `[${name}]`
  })
}

function cellText(cell: string): string {
  return cell.replaceAll('|', '\\|')
}
