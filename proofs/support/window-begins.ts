import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits for the beginning of a window of this many seconds and returns its end in
 * milliseconds since 1970. Windows are cut from the clock of the store, which
 * is that of this machine.
 */
export async function windowBegins(windowSeconds: number): Promise<number> {
  const windowMs = windowSeconds * 1000
  const begin = Math.ceil(Date.now() / windowMs) * windowMs
  await delay(begin - Date.now() + 15)
  return begin + windowMs
}
