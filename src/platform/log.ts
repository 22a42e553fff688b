import { destination, type LevelWithSilent, type Logger, pino } from 'pino'

export type { Logger }

/** Levels LOG_LEVEL may name, loudest last. */
export const logLevels = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
] as const satisfies readonly LevelWithSilent[]

/**
 * Creates the one log of a process: JSON lines on standard error, because
 * standard output belongs to the ready line and to the results of commands.
 * Whoever logs hands in chosen fields, never a request or its headers.
 */
export function createLog(level: LevelWithSilent): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Asynchronous: a slow reader of the log must not slow a call down.
    destination({ dest: 2, sync: false }),
  )
}
