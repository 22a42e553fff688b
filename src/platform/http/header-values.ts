import type { Socket } from 'node:net'

/** A name that a header field can have (RFC 9110, 5.6.2). */
export const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

/** A request as it arrived. */
export interface RawRequest {
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
  readonly socket: Socket
}

/**
 * All values of one header field, its name in lower case. Node's own views are objects of all fields, rebuilt for each
 * request.
 */
export function valuesOf({ rawHeaders }: Pick<RawRequest, 'rawHeaders'>, folded: string): string[] {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === folded.length && name.toLowerCase() === folded) {
      values.push(rawHeaders[at + 1] ?? '')
    }
  }
  return values
}
