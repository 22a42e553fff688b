import { isRedirectTarget } from '../../platform/http/redirect-target.ts'
import { RegistryInputInvalid } from '../registry-errors.ts'

/** The most origins of one application. */
export const redirectOriginsMax = 10
/** The most characters of one origin. All origins travel with each call to the bank. */
export const originLengthMax = 200

/** What the list must be; completes "must be …". */
export const redirectOriginsRule = `a list of at most ${redirectOriginsMax} origins without a path, for example https://app.example or http://localhost:3000 (http only for localhost, 127.0.0.1 and [::1])`

/**
 * The origins to which the customers of an application may be sent back, as
 * browsers write them, each once.
 *
 * @throws {RegistryInputInvalid}
 */
export function plainOrigins(given: readonly string[]): string[] {
  const origins = [...new Set(given.map(originOf))]
  if (origins.length > redirectOriginsMax || !origins.every((origin) => origin !== undefined)) {
    throw new RegistryInputInvalid('redirectOrigins', redirectOriginsRule)
  }
  return origins
}

/** `HTTPS://App.Example:443/` is `https://app.example`; undefined for anything but an origin. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text.trim())
  const isOrigin =
    url !== null &&
    isRedirectTarget(url) &&
    `${url.pathname}${url.search}${url.hash}` === '/' &&
    url.origin.length <= originLengthMax
  return isOrigin ? url.origin : undefined
}
