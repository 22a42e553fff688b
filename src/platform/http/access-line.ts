import type { Logger } from '../log/log.ts'
import { type AccessLog, isWritten } from './access-log.ts'

/** Writes the log line of a finished request, if ACCESS_LOG chooses requests with this status. */
export type WriteAccessLine = (status: number, fields: () => object) => void

export interface AccessLineOptions {
  readonly log: Pick<Logger, 'child'>
  /** The current choice. */
  readonly accessLog: () => AccessLog
  /** What every line says, such as `portal request`. */
  readonly message: string
}

/** Creates the writer of a listener's lines, which ACCESS_LOG chooses apart from LOG_LEVEL. */
export function createAccessLine({ log, accessLog, message }: AccessLineOptions): WriteAccessLine {
  const access = log.child({}, { level: 'info' })
  return (status, fields) => {
    if (isWritten(accessLog(), status)) access.info({ ...fields(), status }, message)
  }
}

/** Milliseconds as log lines have them, to a hundredth. */
export function loggedMs(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
