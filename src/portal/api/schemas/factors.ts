import { type Static, Type } from 'typebox'
import { closed, GivenPassword, Id, Instant, Name, nullable, oneOf, Token } from './common.ts'

/** WebAuthn JSON (Level 3), as browsers produce and accept it. */
const WebAuthnJson = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object({}, { description: 'WebAuthn JSON' }),
)

/** What the browser's `PublicKeyCredential.toJSON` returned. */
export const PasskeyAnswer = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    { id: Type.String({ minLength: 1, maxLength: 1400 }), response: Type.Object({}) },
    { description: 'what PublicKeyCredential.toJSON returns' },
  ),
)

/** Six digits of an authenticator app, or a recovery code; spaces do not matter. */
export const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'six digits of your app, or a recovery code',
})

/** Response to a correct password if the account has a second factor, and to a step-up request. */
export const FactorChallenge = closed({
  token: nullable(Token),
  expiresAt: nullable(Instant),
  methods: Type.Array(oneOf(['password', 'passkey', 'totp', 'recovery-code', 'provider'])),
  passkey: nullable(WebAuthnJson),
})
export type FactorChallenge = Static<typeof FactorChallenge>

/** A code or a passkey. */
export const FactorAnswer = closed({
  token: Token,
  code: Type.Optional(Code),
  passkey: Type.Optional(PasskeyAnswer),
})
export type FactorAnswer = Static<typeof FactorAnswer>

/** The password of an account without a second factor; otherwise a code or a passkey with the challenge's token. */
export const IdentityProof = closed({
  password: Type.Optional(GivenPassword),
  token: Type.Optional(Token),
  code: Type.Optional(Code),
  passkey: Type.Optional(PasskeyAnswer),
})
export type IdentityProof = Static<typeof IdentityProof>

export const ListedSession = closed({
  id: Id,
  createdAt: Instant,
  seenAt: Instant,
  expiresAt: Instant,
  agent: Type.String({ description: 'User-Agent of the browser that signed in' }),
  factor: nullable(oneOf(['totp', 'passkey', 'recovery-code', 'oidc'])),
  isCurrent: Type.Boolean({ description: 'whether this request belongs to it' }),
})
export type ListedSession = Static<typeof ListedSession>
export const SessionList = closed({ items: Type.Array(ListedSession) })
export type SessionList = Static<typeof SessionList>

export const ListedPasskey = closed({
  id: Id,
  name: Type.String(),
  createdAt: Instant,
  lastUsedAt: nullable(Instant),
})
export type ListedPasskey = Static<typeof ListedPasskey>

/** The second factors of the signed-in developer. */
export const Factors = closed({
  totp: nullable(closed({ createdAt: Instant, lastUsedAt: nullable(Instant) })),
  passkeys: Type.Array(ListedPasskey),
  recoveryCodesLeft: Type.Integer(),
  isRequired: Type.Boolean({ description: 'whether the account must have a second factor' }),
  offersPasskeys: Type.Boolean({
    description: 'false if the host of the portal is an IP address',
  }),
})
export type Factors = Static<typeof Factors>

/** A secret for an authenticator app; a code from the app confirms it. */
export const TotpOffer = closed({
  token: Token,
  secret: Type.String({ description: 'base32, to type in' }),
  uri: Type.String({ description: 'otpauth://, to scan' }),
})
export type TotpOffer = Static<typeof TotpOffer>

export const TotpConfirmation = closed({ token: Token, code: Code })
export type TotpConfirmation = Static<typeof TotpConfirmation>

/** Options for `navigator.credentials.create`. */
export const PasskeyOffer = closed({ token: Token, passkey: WebAuthnJson })
export type PasskeyOffer = Static<typeof PasskeyOffer>

export const PasskeyConfirmation = closed({ token: Token, name: Name, passkey: PasskeyAnswer })
export type PasskeyConfirmation = Static<typeof PasskeyConfirmation>

/** Shown once; empty if the account keeps its current codes. */
export const RecoveryCodes = closed({ recoveryCodes: Type.Array(Type.String()) })
export type RecoveryCodes = Static<typeof RecoveryCodes>

/** The token is part of the link that `operator add` prints. */
export const EnrolmentStart = closed({ token: Token })
export type EnrolmentStart = Static<typeof EnrolmentStart>

/** What an operator can add as the first second factor. */
export const Enrolment = closed({
  email: Type.String(),
  hasPassword: Type.Boolean({
    description: 'true: enter the password of the account; false: choose one',
  }),
  challenge: Token,
  secret: Type.String({ description: 'base32, to type in' }),
  uri: Type.String({ description: 'otpauth://, to scan' }),
  passkey: nullable(WebAuthnJson),
})
export type Enrolment = Static<typeof Enrolment>

export const EnrolmentConfirmation = closed({
  token: Token,
  challenge: Token,
  password: GivenPassword,
  code: Type.Optional(Code),
  passkey: Type.Optional(PasskeyAnswer),
  name: Type.Optional(Name),
})
export type EnrolmentConfirmation = Static<typeof EnrolmentConfirmation>
