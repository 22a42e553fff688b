import type { PortalFacts } from '../portal/api/schemas/accounts.ts'
import type { AboutVersion, FrontPage, PublishedApis } from '../portal/api/schemas/catalogue.ts'

/** Facts about the portal that a page knows from the start. */
export type KnownFacts = Omit<PortalFacts, 'signUp'>

/** Data that the server writes into the document, so that the first render needs no request. */
export interface Boot {
  /** Whether the browser sent a session cookie. `/api/session` returns whose it is and whether it is still valid. */
  readonly carriesSession: boolean
  readonly facts: KnownFacts
  /** On a page that shows the published APIs. */
  readonly apis?: PublishedApis
  /** On the first page of a reference. */
  readonly about?: AboutVersion
  /** On the first page and the sign-up page. */
  readonly front?: FrontPage
}

/** Reads what the server wrote into the document; during development of the page, where it wrote none, asks it. */
export async function readBoot(): Promise<Boot> {
  if (import.meta.env.DEV) {
    const answer = await fetch('/api/portal')
    return { carriesSession: true, facts: await answer.json() }
  }
  const text = document.getElementById('boot')?.textContent ?? ''
  // The server that wrote it serves this script, from the same build.
  return JSON.parse(text) as Boot
}

/** The nonce for style elements; scripts can read it only as a property. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
