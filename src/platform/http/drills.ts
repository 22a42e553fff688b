/** The request header with which a developer asks the sandbox to simulate a failure. */
export const drillHeader = 'Sandbox-Drill'

/** What it may ask for; docs/sandbox.md says what each answers. */
export const drills = [
  '429',
  '503',
  '504',
  'slow',
  'truncated',
  'degraded',
  'consent-expired',
] as const

export type Drill = (typeof drills)[number]

/** What a call with the header is: the drill that it asks for, or one that the gateway refused to make. */
export type CallDrill = Drill | 'refused'

/**
 * The header with which an operation names the consent that it uses. Only such
 * an operation has the drill `consent-expired`.
 */
export const consentHeader = 'Consent-ID'

/** The drills of an operation. @param declared its header fields, as its document writes them */
export function drillsOf({ headers }: { readonly headers: readonly string[] }): readonly Drill[] {
  return headers.includes(consentHeader)
    ? drills
    : drills.filter((drill) => drill !== 'consent-expired')
}
