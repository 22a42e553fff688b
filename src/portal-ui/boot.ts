import type { PortalFacts } from '../gateway/portal/schemas/accounts.ts'

/** What a page knows of its portal from the start. */
export type KnownFacts = Pick<PortalFacts, 'gatewayUrl' | 'writesMailsToFiles'>

/** What the server writes into the document so that the first picture needs no request. */
export interface Boot {
  /** Whether the browser sent a session's cookie; whose, and whether it still opens anything, tells `/api/session`. */
  readonly carriesSession: boolean
  readonly facts: KnownFacts
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
