import closeWithGrace, { type Options as CloseOptions } from 'close-with-grace'
import type { Command } from 'commander'
import type { Tollgate } from '../../main.ts'
import { createLog, type Logger } from '../../platform/log.ts'
import { roles as allRoles, type Role } from '../../platform/settings.ts'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { packageVersion } from '../package-version.ts'

/** Milliseconds a shutdown may take after its drain: the longest call and a little. */
const closeMs = 30_000

export function registerStart(program: Command, context: CommandContext): void {
  program
    .command('start')
    .summary('run roles in this process')
    .description(
      `Runs roles in this process until SIGTERM or SIGINT; SIGHUP reloads the configuration. Roles: ${allRoles.join(', ')} (all of them when none is named).`,
    )
    .argument('[roles...]', 'which of them')
    .action(async (names: readonly string[]) => {
      const roles = chooseRoles(names)
      const settings = context.settings()
      const log = createLog(settings.logLevel)
      // Here, because other commands need none of it.
      const { startTollgate } = await import('../../main.ts')
      const tollgate = await startTollgate({ settings, roles, log, version: packageVersion() })
      // Before the ready line: whoever reads it may tell us to end.
      const told = untilTold(tollgate, log, settings.drainSeconds * 1000 + closeMs)
      context.output.line(tollgate.readyLine)
      if (tollgate.welcome !== undefined) {
        context.output.line(tollgate.welcome)
        await tollgate.noteWelcomed()
      }
      await told
    })
}

function chooseRoles(names: readonly string[]): ReadonlySet<Role> {
  if (names.length === 0) return new Set(allRoles)
  const unknown = names.filter((name) => !allRoles.some((role) => role === name))
  if (unknown.length > 0) {
    throw new UsageError(`there is no role ${unknown.join(', ')}; roles are ${allRoles.join(', ')}`)
  }
  return new Set(allRoles.filter((role) => names.includes(role)))
}

/**
 * Milliseconds in which a second signal is the first again: a terminal signals
 * us and whoever started us (the launcher, npm), and they hand it on to us.
 */
const sameSignalMs = 500

/** Resolves when a signal has ended the process's work; a later one ends it at once and a crash after its work, both with exit code 1. */
function untilTold(tollgate: Tollgate, log: Logger, delayMs: number): Promise<void> {
  process.on('SIGHUP', () => void tollgate.reload())
  return new Promise((resolve) => {
    let told: { readonly by: string; readonly at: number } | undefined
    // Its own handlers would take any second signal for somebody in a hurry.
    const options: CloseOptions = {
      delay: delayMs,
      logger: false,
      skip: ['SIGHUP', 'SIGINT', 'SIGTERM'],
    }
    const grace = closeWithGrace(options, async ({ err, signal = told?.by }) => {
      if (err !== undefined) log.fatal({ err }, 'the process ends because of an error')
      else log.info({ signal }, 'stopping')
      await tollgate.close()
      log.info('stopped')
      resolve()
    })
    function tell(by: string): void {
      if (told === undefined) {
        told = { by, at: performance.now() }
        void grace.close()
      } else if (performance.now() - told.at > sameSignalMs) {
        process.exit(1)
      }
    }
    process.on('SIGINT', tell)
    process.on('SIGTERM', tell)
    // The launcher is gone, even by SIGKILL: nobody could stop us any more.
    if (process.connected) process.once('disconnect', () => tell('disconnect'))
  })
}
