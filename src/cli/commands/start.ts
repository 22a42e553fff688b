// This folder has a file for each command of `tollgate`, which `../program.ts` lists; this one starts the roles. A
// command declares its arguments, asks its `CommandContext` for stores and prints what they answer. `options.ts` has
// the options that several commands share.

import closeWithGrace, { type Options as CloseOptions } from 'close-with-grace'
import type { Command } from 'commander'
import { folderState } from '../../catalogue/folder-state.ts'
import { defaultRoles } from '../../compose/default-roles.ts'
import type { Tollgate, TollgateOptions } from '../../main.ts'
import { stopTimes } from '../../platform/http/stop-times.ts'
import { createLog, type Logger, logWritten } from '../../platform/log/log.ts'
import { collectWhenIdle } from '../../platform/process/collect-when-idle.ts'
import { packageRevision, packageVersion } from '../../platform/process/package-version.ts'
import { settingWarnings } from '../../platform/settings/setting-warnings.ts'
import { roles as allRoles, type Role } from '../../platform/settings/settings.ts'
import { answerKeys } from '../answer-keys.ts'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'

export function registerStart(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate start',
    'tollgate start gateway portal',
    'GATEWAY_PORT=8090 tollgate start',
  ])
    .description(
      `Run Tollgate in this process until SIGTERM or SIGINT. SIGHUP applies changed documents and plans. Roles: ${allRoles.join(', ')} (default: all; backend, which is the sandbox bank, only if it serves a published operation).`,
    )
    .argument('[roles...]', 'the roles to run')
    .showHelpAfterError('Settings are environment variables: tollgate settings --all lists them.')
    .action(async (names: readonly string[]) => {
      const settings = context.settings()
      const named = namedRoles(names)
      let reload = noteHangup
      let isReloadDue = false
      function noteHangup(): void {
        isReloadDue = true
      }
      process.on('SIGHUP', () => reload())
      const read = named === undefined ? await readOnce(context) : undefined
      const roles = named ?? defaultRoles(settings, await context.catalogue())
      // Another level asks for more than what happens in front of a person; without calls, requests are what happens.
      const isCalm =
        settings.logFormat === 'pretty' &&
        settings.logLevel === 'info' &&
        process.stderr.isTTY &&
        roles.has('gateway')
      const log = createLog(settings.logLevel, { format: isCalm ? 'calm' : settings.logFormat })
      for (const warning of settingWarnings(context.env)) log.warn({}, warning)
      // Imported here, because other commands do not need it.
      const { startTollgate } = await import('../../main.ts')
      const tollgate = await startTollgate({
        settings,
        roles,
        log,
        version: packageVersion(),
        revision: packageRevision(),
        isTerminal: process.stdout.isTTY,
        ...(read && { readCatalogue: read }),
      })
      // The log and the lines below are one text where both go to one place.
      await logWritten(1_000)
      // Before the ready line: its reader may stop the process at once.
      const { closeMs } = stopTimes(settings.backendCallMs)
      const told = untilTold(tollgate, log, settings.drainSeconds * 1000 + closeMs)
      context.output.line(tollgate.readyLine)
      if (tollgate.welcome !== undefined) {
        context.output.line(tollgate.welcome)
        await tollgate.noteWelcomed()
      }
      if (context.isTerminal) answerKeys({ ...tollgate, say: context.output.line })
      reload = () => void tollgate.reload()
      // It may have read its files before the signal came.
      if (isReloadDue) reload()
      collectWhenIdle()
      await told
    })
}

/** Reads the configuration for the roles, and gives the start the same unless the files have changed since. */
async function readOnce(
  context: CommandContext,
): Promise<NonNullable<TollgateOptions['readCatalogue']>> {
  const { configDir } = context.settings()
  const { loadCatalogue } = await import('../../catalogue/load-catalogue.ts')
  const state = await folderState(configDir)
  const catalogue = await context.catalogue()
  return async (folder) =>
    (await folderState(folder)) === state ? catalogue : loadCatalogue(folder)
}

function namedRoles(names: readonly string[]): ReadonlySet<Role> | undefined {
  if (names.length === 0) return undefined
  const unknown = names.filter((name) => !allRoles.some((role) => role === name))
  if (unknown.length > 0) {
    throw new UsageError(`there is no role ${unknown.join(', ')}; roles are ${allRoles.join(', ')}`)
  }
  return new Set(allRoles.filter((role) => names.includes(role)))
}

/**
 * Milliseconds in which a second signal counts as the first: a terminal signals
 * this process and its parent (the launcher, npm), which passes the signal on.
 */
const sameSignalMs = 500

/**
 * Resolves when a signal has ended the process's work; a later one ends it at
 * once and a crash after its work, both with exit code 1.
 */
function untilTold(tollgate: Tollgate, log: Logger, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    let told: { readonly by: string; readonly at: number } | undefined
    // Its own handlers would take any second signal as a request to stop at once.
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
    // The launcher is gone, even by SIGKILL: no signal can reach this process now.
    if (process.connected) process.once('disconnect', () => tell('disconnect'))
  })
}
