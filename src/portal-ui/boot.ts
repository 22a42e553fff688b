import type { PortalFacts } from '../gateway/portal/schemas/accounts.ts'

/** What the server writes into the document so that the first picture needs no request. */
export interface Boot {
  /** Whether the session cookie led to somebody when the document was made. */
  readonly signedIn: boolean
  readonly facts: PortalFacts
}

/** Reads what the server wrote into the document. */
export function readBoot(): Boot {
  const text = document.getElementById('boot')?.textContent ?? ''
  // Written by the server that serves this script, of the same build.
  return JSON.parse(text) as Boot
}

/** The nonce that lets style elements in; the browser shows it to script only as a property. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
