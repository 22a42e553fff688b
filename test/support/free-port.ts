import { freePort as freePortOf } from '../../src/platform/http/free-port.ts'

/** A loopback port that was free a moment ago. */
export function freePort(): Promise<number> {
  return freePortOf({ host: '127.0.0.1', port: 0 })
}
