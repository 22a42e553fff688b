import { type Static, Type } from 'typebox'
import { closed, Instant, nullable } from './common.ts'

const SandboxAccount = closed({
  resourceId: Type.String(),
  iban: Type.String(),
  currency: Type.String({ description: 'XXX gathers sub-accounts of several currencies' }),
  name: Type.String(),
  cashAccountType: Type.String(),
  usage: Type.String(),
  status: Type.String(),
})

/** A made-up customer of the bank. */
export const SandboxCustomer = closed({
  psuId: Type.String(),
  alias: Type.String(),
  name: Type.String(),
  behaves: Type.String({ description: 'what the customer does when asked to approve' }),
  note: nullable(Type.String()),
  corporateId: nullable(Type.String()),
  accounts: Type.Array(SandboxAccount),
  card: nullable(closed({ resourceId: Type.String(), maskedPan: Type.String() })),
})
export type SandboxCustomer = Static<typeof SandboxCustomer>

/** `GET /api/sandbox`. */
export const Sandbox = closed({
  secrets: closed({ password: Type.String(), oneTimePassword: Type.String() }),
  customers: Type.Array(SandboxCustomer),
  ways: Type.Array(
    closed({
      of: Type.String(),
      member: Type.String({ description: 'the member of an answer that holds the state' }),
      states: Type.Array(closed({ state: Type.String(), ways: Type.Array(Type.String()) })),
    }),
  ),
})
export type Sandbox = Static<typeof Sandbox>

/** `POST /api/applications/{id}/sandbox/consents`. */
export const ReadyConsent = closed({
  consentId: Type.String(),
  psuName: Type.String({ description: 'whose accounts it opens' }),
})
export type ReadyConsent = Static<typeof ReadyConsent>

/** `GET /api/applications/{id}/sandbox/consents`. */
export const ApprovedConsents = closed({
  items: Type.Array(
    closed({
      consentId: Type.String(),
      consentStatus: Type.String({ description: 'now; only `valid` opens accounts' }),
      psuName: Type.String({ description: 'the customer who approved it' }),
      createdAt: Instant,
      firstUsedAt: nullable(Instant),
    }),
  ),
})
export type ApprovedConsents = Static<typeof ApprovedConsents>
