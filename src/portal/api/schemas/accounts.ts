import { type Static, Type } from 'typebox'
import { signUpModes } from '../../stores/accounts/portal-state.ts'
import { BrandFacts } from './brand.ts'
import {
  closed,
  Email,
  GivenPassword,
  Id,
  Instant,
  Name,
  NewPassword,
  nullable,
  oneOf,
  Token,
} from './common.ts'

/** Which mails a developer gets in addition to those about the account itself and its keys. */
export const MailPreferences = closed({
  limits: Type.Boolean({ description: 'at 80 % and at 100 % of a limit' }),
  deprecations: Type.Boolean({ description: '90, 30 and 7 days before a version ends' }),
  expiry: Type.Boolean({ description: '30, 7 and 1 days before a key or a certificate expires' }),
})
export type MailPreferences = Static<typeof MailPreferences>

const LanguageCode = oneOf(['en', 'he'], {
  description: 'the language of emails; null in an answer: not known yet',
})

export const LanguageChoice = closed({ language: LanguageCode })
export type LanguageChoice = Static<typeof LanguageChoice>

export const Developer = closed({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  isOperator: Type.Boolean(),
  createdAt: Instant,
  pendingEmail: nullable(Type.String({ description: 'a new address that is not confirmed yet' })),
  signsInWith: oneOf(['password', 'provider'], {
    description: 'provider: the OpenID Connect provider of the bank',
  }),
  mails: MailPreferences,
  language: nullable(LanguageCode),
  acceptedTerms: nullable(closed({ version: Type.String(), acceptedAt: Instant })),
})
export type Developer = Static<typeof Developer>

export const Session = closed({
  developer: Developer,
  createdAt: Instant,
  expiresAt: Instant,
  needsFactor: Type.Boolean({
    description: 'whether the developer has to add a second factor before anything else',
  }),
})
export type Session = Static<typeof Session>

/** The version of the bank's terms that the developer accepts: `brand.terms.version` of `GET /api/portal`. */
const TermsVersion = Type.String({ minLength: 1, maxLength: 40 })

export const SignUp = closed({ email: Email, name: Name })
export type SignUp = Static<typeof SignUp>

export const Verification = closed({ token: Token, password: NewPassword })
export type Verification = Static<typeof Verification>

export const SignUpCompletion = closed({
  ...Verification.properties,
  acceptedTerms: Type.Optional(TermsVersion),
})
export type SignUpCompletion = Static<typeof SignUpCompletion>

export const SignIn = closed({ email: Type.String({ maxLength: 254 }), password: GivenPassword })
export type SignIn = Static<typeof SignIn>

/** Starts a sign-in, or a proof, at the OpenID Connect provider. */
export const ProviderStart = closed({
  next: Type.Optional(
    Type.String({ maxLength: 1024, description: 'path of the page to open afterwards' }),
  ),
})
export type ProviderStart = Static<typeof ProviderStart>

/** Where the browser continues. */
export const ProviderAddress = closed({ url: Type.String() })
export type ProviderAddress = Static<typeof ProviderAddress>

export const PasswordReset = closed({ email: Email })
export type PasswordReset = Static<typeof PasswordReset>

/** Consumes a mail link that asks for nothing else. */
export const TokenUse = closed({ token: Token })
export type TokenUse = Static<typeof TokenUse>

export const ProfileChange = closed({
  currentPassword: GivenPassword,
  name: Type.Optional(Name),
  email: Type.Optional(Email),
  password: Type.Optional(NewPassword),
})
export type ProfileChange = Static<typeof ProfileChange>

/** A name alone needs no password: it is only shown. */
export const NameChange = closed({ name: Name })
export type NameChange = Static<typeof NameChange>

/** Accepts the current terms of the bank. */
export const TermsAcceptance = closed({ version: TermsVersion })
export type TermsAcceptance = Static<typeof TermsAcceptance>

/** The password, unless the account has none because its owner signs in through the provider. */
export const AccountDeletion = closed({ currentPassword: Type.Optional(GivenPassword) })
export type AccountDeletion = Static<typeof AccountDeletion>

/** The token of the one-click link in a mail (RFC 8058). */
export const OptOut = closed({ token: Type.String({ minLength: 1, maxLength: 256 }) })
export type OptOut = Static<typeof OptOut>

/** What the link would stop. Forwarded emails carry the link, too, so the address is not whole. */
export const OptOutFacts = closed({
  mail: oneOf(['limits', 'deprecations', 'expiry']),
  address: Type.String({ description: 'first letter and domain of the receiver: a…@example.com' }),
})
export type OptOutFacts = Static<typeof OptOutFacts>

/** `GET /api/portal`: the settings that the page needs before sign-in. */
export const PortalFacts = closed({
  signUp: oneOf(signUpModes),
  gatewayUrl: Type.String(),
  writesMailsToFiles: Type.Boolean({
    description: 'without a mail server the portal writes emails to files',
  }),
  hasSandbox: Type.Boolean({
    description: 'whether there are fictional bank customers to test with',
  }),
  hasBank: Type.Boolean({
    description:
      "whether a bank's API is published, whose customers approve what applications request",
  }),
  signInProvider: nullable(
    Type.String({ description: 'name of the OpenID Connect provider; null without one' }),
  ),
  hasMailbox: Type.Boolean({ description: 'whether this browser can read emails at /mailbox' }),
  keyMaxDays: Type.Integer({ description: 'longest life of an API key in days; 0: no maximum' }),
  brand: BrandFacts,
})
export type PortalFacts = Static<typeof PortalFacts>

/** `GET /api/gateway`. */
export const GatewayState = closed({ isReachable: Type.Boolean(), checkedAt: Instant })
export type GatewayState = Static<typeof GatewayState>
