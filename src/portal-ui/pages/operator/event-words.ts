import { knownMessage, t } from '../../words.ts'

/** An event in words; one of a newer version stays as it is. */
export function eventInWords(event: string): string {
  const known = knownMessage(`securityEvent.${event}`)
  return known === undefined ? event : t(known)
}
