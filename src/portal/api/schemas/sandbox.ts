import { type Static, Type } from 'typebox'
import { psd2Roles } from '../../../certificates/psd2-role.ts'
import { certificateDefects } from '../../stores/sandbox/certificate-defects.ts'
import { closed, Instant, nullable, oneOf } from './common.ts'

/** `POST /api/applications/{id}/sandbox/certificates`. */
export const TestCertificatesInput = closed({
  roles: Type.Array(oneOf(psd2Roles), { minItems: 1, maxItems: 4, uniqueItems: true }),
  defect: Type.Optional(
    oneOf(certificateDefects, {
      description: 'what is wrong with them; without it both are added to the application',
    }),
  ),
})
export type TestCertificatesInput = Static<typeof TestCertificatesInput>

const TestCertificate = closed({
  certificate: Type.String({ description: 'PEM' }),
  privateKey: Type.String({ description: 'PKCS #8, PEM; shown only now' }),
})

/** The only answer that holds the keys. */
export const TestCertificates = closed({
  qwac: TestCertificate,
  qseal: TestCertificate,
  authority: Type.String({ description: 'PEM' }),
  isAdded: Type.Boolean({ description: 'whether both were added to the application' }),
})
export type TestCertificates = Static<typeof TestCertificates>

const SandboxAccount = closed({
  resourceId: Type.String(),
  iban: Type.String(),
  currency: Type.String({ description: 'XXX gathers sub-accounts of several currencies' }),
  name: Type.String(),
  nameInHebrew: Type.String(),
  cashAccountType: Type.String(),
  usage: Type.String(),
  status: Type.String(),
})

/** A made-up customer of the bank. */
export const SandboxCustomer = closed({
  psuId: Type.String(),
  alias: Type.String(),
  name: Type.String(),
  nameInHebrew: Type.String({ description: 'the same as the name where there is no other' }),
  behaves: Type.String({ description: 'what the customer does when asked to approve' }),
  behavesInHebrew: Type.String(),
  isReadyToConsent: Type.Boolean({ description: 'whether a ready consent can be made' }),
  note: nullable(Type.String()),
  noteInHebrew: nullable(Type.String()),
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
      ofInHebrew: Type.String(),
      member: Type.String({ description: 'the member of an answer that holds the state' }),
      states: Type.Array(
        closed({
          state: Type.String(),
          ways: Type.Array(Type.String()),
          waysInHebrew: Type.Array(Type.String()),
        }),
      ),
    }),
  ),
})
export type Sandbox = Static<typeof Sandbox>

/** `POST /api/applications/{id}/sandbox/consents`; the body may be missing. */
export const ReadyConsentInput = nullable(
  closed({
    psuId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'the customer who consents; Noa Levi if absent',
      }),
    ),
  }),
)

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
