import { type Static, Type } from 'typebox'
import {
  originLengthMax,
  redirectOriginsMax,
  redirectOriginsRule,
} from '../../../registry/applications/redirect-origins.ts'
import {
  allowedAddressesMax,
  allowedAddressesRule,
} from '../../../registry/keys/allowed-addresses.ts'
import { nameRule } from '../../../registry/name.ts'
import { closed, Id, Instant, ListLimit, listOf, Name, nullable, oneOf } from './common.ts'

/** A setting of an application. */
export const Strict = Type.Boolean({
  description: 'true or false: whether the bank accepts only signed calls from the application',
})

/** A setting of an application. */
const RedirectOrigins = Type.Array(
  Type.String({
    maxLength: originLengthMax,
    description: `an origin of at most ${originLengthMax} characters`,
  }),
  {
    maxItems: redirectOriginsMax,
    description: `${redirectOriginsRule}; empty: any https address, or none for a strict application`,
  },
)

export const Application = closed({
  id: Id,
  name: Type.String(),
  createdAt: Instant,
  suspendedAt: nullable(Instant),
  strict: Strict,
  redirectOrigins: RedirectOrigins,
})
export type Application = Static<typeof Application>
export const ApplicationList = listOf(Application)
export type ApplicationList = Static<typeof ApplicationList>

export const ApplicationInput = closed({ name: Name })
export type ApplicationInput = Static<typeof ApplicationInput>
/** Omitted members stay unchanged. A name may be older than the rule, so the registry checks it. */
export const ApplicationChange = closed({
  name: Type.Optional(Type.String({ description: nameRule })),
  strict: Type.Optional(Strict),
  redirectOrigins: Type.Optional(RedirectOrigins),
})
export type ApplicationChange = Static<typeof ApplicationChange>

export const Subscription = closed({
  id: Id,
  api: Type.String(),
  version: Type.String(),
  plan: Type.String(),
  createdAt: Instant,
  endedAt: nullable(Instant),
})
export type Subscription = Static<typeof Subscription>
export const SubscriptionList = listOf(Subscription)
export type SubscriptionList = Static<typeof SubscriptionList>

const CatalogueName = Type.String({ minLength: 1, maxLength: 100 })

export const SubscriptionInput = closed({
  api: CatalogueName,
  version: CatalogueName,
  plan: CatalogueName,
})
export type SubscriptionInput = Static<typeof SubscriptionInput>
export const SubscriptionChange = closed({ plan: CatalogueName })
export type SubscriptionChange = Static<typeof SubscriptionChange>

/** A setting of a key. */
const AllowedAddresses = Type.Array(Type.String({ maxLength: 50 }), {
  maxItems: allowedAddressesMax,
  description: `${allowedAddressesRule}; empty: any address`,
})

const MayReplaceItself = Type.Boolean({
  description: 'true or false: whether a program with the key can rotate it, without a person',
})

const keyMembers = {
  id: Type.String({ description: 'public part of the key, 12 characters' }),
  name: Type.String(),
  hint: Type.String({ description: 'tg_<id>_…<last four>' }),
  state: oneOf(['active', 'replaced', 'expired', 'revoked']),
  createdAt: Instant,
  expiresAt: nullable(Instant),
  revokedAt: nullable(Instant),
  lastUsedAt: nullable(Instant),
  replacedBy: nullable(Type.String()),
  allowedAddresses: AllowedAddresses,
  mayReplaceItself: MayReplaceItself,
}

export const Key = closed(keyMembers)
export type Key = Static<typeof Key>
export const KeyList = listOf(Key)
export type KeyList = Static<typeof KeyList>

export const KeyListQuery = closed({
  limit: Type.Optional(ListLimit),
  after: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z]{12}$', description: 'id of a key' })),
})
export type KeyListQuery = Static<typeof KeyListQuery>

/** The only answer that holds the key itself. */
export const IssuedKey = closed({ ...keyMembers, key: Type.String() })
export type IssuedKey = Static<typeof IssuedKey>

const CertificateUse = oneOf(['tls', 'signing'], {
  description: 'tls (a QWAC, to connect with) or signing (a QSealC, to sign requests with)',
})

export const Certificate = closed({
  id: Id,
  use: CertificateUse,
  name: Type.String(),
  thumbprint: Type.String({ description: 'SHA-256 of the certificate, base64url' }),
  subject: Type.String(),
  issuer: Type.String(),
  roles: Type.Array(Type.String(), { description: 'PSD2 roles, such as PSP_AI' }),
  authorisationNumber: nullable(Type.String()),
  state: oneOf(['active', 'pending', 'expired', 'blocked']),
  validFrom: Instant,
  validUntil: Instant,
  createdAt: Instant,
  lastUsedAt: nullable(Instant),
  blockedAt: nullable(Instant),
})
export type Certificate = Static<typeof Certificate>
export const CertificateList = listOf(Certificate)
export type CertificateList = Static<typeof CertificateList>

export const CertificateInput = closed({
  use: CertificateUse,
  name: Name,
  certificate: Type.String({
    minLength: 1,
    maxLength: 16_384,
    description: 'one X.509 certificate in PEM, without its private key',
  }),
})
export type CertificateInput = Static<typeof CertificateInput>

export const KeyInput = closed({
  name: Name,
  expiresAt: Type.Optional(Instant),
  allowedAddresses: Type.Optional(AllowedAddresses),
  mayReplaceItself: Type.Optional(MayReplaceItself),
})
export type KeyInput = Static<typeof KeyInput>

/** Omitted members stay unchanged. */
export const KeyUpdate = closed({
  allowedAddresses: Type.Optional(AllowedAddresses),
  mayReplaceItself: Type.Optional(MayReplaceItself),
})
export type KeyUpdate = Static<typeof KeyUpdate>

export const KeyRotation = closed({
  overlapSeconds: Type.Integer({ minimum: 0, maximum: 2_592_000, description: '0 to 30 days' }),
})
export type KeyRotation = Static<typeof KeyRotation>

/** A setting of a key that can replace itself. */
export const SelfRotation = Type.Union([
  closed({
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 3_600,
        maximum: 2_592_000,
        description: '1 hour to 30 days; the old key ends at its own expiry if that is earlier',
      }),
    ),
  }),
  Type.Null(),
])
export type SelfRotation = Static<typeof SelfRotation>
