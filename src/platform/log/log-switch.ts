import { type AccessLog, parseAccessLog } from '../http/access-log.ts'
import { type Logger, logLevels } from './log.ts'

export type LogLevel = (typeof logLevels)[number]

/** A change of the log while the process runs, as the table of changes carries it. */
export interface LogChange {
  readonly level?: string
  readonly accessLog?: string
  /** When the settings apply again, as ISO 8601. */
  readonly until?: string
  /** The only process that follows; absent: all. */
  readonly pid?: string
}

/** What the log of this process shows now. */
export interface LogSwitch {
  /** Which finished requests write a line. */
  accessLog(): AccessLog
  /**
   * Applies a change in place of any before, until its time is over. Ignores
   * what it does not understand, such as a change by a newer release.
   */
  change(change: LogChange): void
  close(): void
}

export interface LogSwitchOptions {
  readonly log: Pick<Logger, 'child'> & { level: string }
  /** What applies at the start and after each change. */
  readonly settings: { readonly logLevel: LogLevel; readonly accessLog: AccessLog }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Creates the switch; the settings apply until a change comes. */
export function createLogSwitch({ log, settings, now }: LogSwitchOptions): LogSwitch {
  let accessLog = settings.accessLog
  let timer: NodeJS.Timeout | undefined
  // Whatever the level was and becomes.
  const always = log.child({}, { level: 'info' })

  function fallBack(): void {
    clearTimeout(timer)
    timer = undefined
    log.level = settings.logLevel
    accessLog = settings.accessLog
  }

  return {
    accessLog: () => accessLog,
    change({ level, accessLog: access, until, pid }) {
      if (pid !== undefined && pid !== String(process.pid)) return
      fallBack()
      const ms = Date.parse(until ?? '') - now()
      if (!(ms > 0)) {
        always.info({}, 'the settings of the log apply again')
        return
      }
      const known = logLevels.find((name) => name === level)
      const chosen = access === undefined ? undefined : parseAccessLog(access)
      always.info({ toLevel: known, accessLog: access, until }, 'the log was changed until then')
      if (known !== undefined) log.level = known
      if (chosen !== undefined) accessLog = chosen
      timer = setTimeout(() => {
        fallBack()
        always.info({}, 'the settings of the log apply again')
      }, ms).unref()
    },
    close: () => clearTimeout(timer),
  }
}
