import type { IncomingMessage } from 'node:http'

/**
 * All values of one header field, its name in lower case. Node's own views are objects of all fields, rebuilt for each
 * request.
 */
export function valuesOf({ rawHeaders }: IncomingMessage, folded: string): string[] {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === folded.length && name.toLowerCase() === folded) {
      values.push(rawHeaders[at + 1] ?? '')
    }
  }
  return values
}
