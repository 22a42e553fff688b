import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseAccessLog } from '../../platform/http/access-log.ts'
import { logLevels } from '../../platform/log/log.ts'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { type JsonOption, parseWhole } from './options.ts'

interface LogOptions extends JsonOption {
  readonly level?: string
  readonly access?: string
  readonly for: number
  readonly pid?: number
  readonly reset?: boolean
}

const minutesMax = 1_440

export function registerLog(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate log --level debug --for 10m',
    'tollgate log --access errors --for 2h',
    'tollgate log --level trace --pid 4711',
    'tollgate log --reset',
  ])
    .description(
      'Change what running gateways and portals write to their logs, for a limited time: LOG_LEVEL, ACCESS_LOG or both. They follow within a second and write a line about it. Afterwards, and after a restart, their settings apply. The audit log records the change.',
    )
    .addOption(new Option('--level <level>', 'as LOG_LEVEL').choices(logLevels))
    .option('--access <choice>', 'as ACCESS_LOG: all, errors, sample:<share> or off', parseAccess)
    .addOption(
      new Option('--for <time>', 'at most 24 hours, e.g. 10m, 2h')
        .argParser(parseFor)
        .default(15, '15m'),
    )
    .option('--pid <pid>', 'only the process with this number', (text) =>
      parseWhole(text, 1, 2 ** 31),
    )
    .option('--reset', 'apply the settings again now')
    .option('--json', 'print {"level","accessLog","until"}')
    .action(async ({ level, access, pid, reset, json, for: minutes }: LogOptions) => {
      if (reset === true ? level !== undefined || access !== undefined : !level && !access) {
        throw new UsageError('give --level, --access or both, or only --reset')
      }
      const until = reset === true ? undefined : new Date(context.now() + minutes * 60_000)
      const detail = {
        ...(level === undefined ? {} : { level }),
        ...(access === undefined ? {} : { accessLog: access }),
        ...(until === undefined ? {} : { until: until.toISOString() }),
        ...(pid === undefined ? {} : { pid: String(pid) }),
      }
      const isHeard = await context.registry(async ({ changes, processes }) => {
        await changes.announce(
          { kind: 'configuration', action: 'log', detail },
          { by: context.actor },
        )
        return (await processes.living()).some(({ roles }) => /gateway|portal/.test(roles))
      })
      if (!isHeard) context.output.note('No gateway or portal runs, so no log has changed.')
      context.output.result(
        json,
        { level: level ?? null, accessLog: access ?? null, until: until ?? null },
        () =>
          until === undefined
            ? 'The settings of the log apply again.'
            : `Changed until ${until.toISOString()}. To end it earlier: tollgate log --reset`,
      )
    })
}

function parseAccess(text: string): string {
  if (parseAccessLog(text) !== undefined) return text
  throw new InvalidArgumentError('It must be all, errors, sample:<share> or off.')
}

/** @returns minutes */
function parseFor(text: string): number {
  const [, count = '', unit] = /^(\d{1,4})([mh])$/.exec(text) ?? []
  const minutes = Number(count) * (unit === 'h' ? 60 : 1)
  if (minutes >= 1 && minutes <= minutesMax) return minutes
  throw new InvalidArgumentError('It must be a time from 1m to 24h.')
}
