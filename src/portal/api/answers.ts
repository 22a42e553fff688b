import type * as registered from '../../registry/applications/applications.ts'
import type * as overridden from '../../registry/applications/overrides.ts'
import type * as joined from '../../registry/applications/subscriptions.ts'
import { certificateState } from '../../registry/certificates/certificate-state.ts'
import type { ApplicationCertificate } from '../../registry/certificates/certificates.ts'
import type { ApiKey, IssuedKey as Issued } from '../../registry/keys/key-rows.ts'
import { keyState } from '../../registry/keys/key-state.ts'
import type { Profile } from '../stores/accounts/profiles.ts'
import type { PartyNames } from '../stores/figures/party-names.ts'
import type { Developer } from './schemas/accounts.ts'
import type {
  Application,
  Certificate,
  IssuedKey,
  Key,
  Subscription,
} from './schemas/applications.ts'
import type { LimitOverride } from './schemas/operator.ts'

/** A row of the registry in an answer: its times become ISO 8601 in UTC with milliseconds. */
export function withInstants<Row extends object>(row: Row): WithInstants<Row> {
  const members = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Date ? value.toISOString() : value,
  ])
  // The types of entries are lost on the way.
  return Object.fromEntries(members) as WithInstants<Row>
}

type WithInstants<Row> = {
  [Name in keyof Row]: Date extends Row[Name]
    ? Exclude<Row[Name], Date> | string
    : Row[Name] extends readonly (infer Item)[]
      ? Item[]
      : Row[Name]
}

/** A developer as the JSON API shows them to themselves. */
export function developerAnswer({ acceptedTerms, ...profile }: Profile): Developer {
  return {
    ...withInstants(profile),
    acceptedTerms: acceptedTerms === null ? null : withInstants(acceptedTerms),
  }
}

/** An application as the JSON API shows it. */
export function applicationAnswer({
  developerId,
  ...application
}: registered.Application): Application {
  return withInstants(application)
}

/** A subscription as the JSON API shows it. */
export function subscriptionAnswer({
  applicationId,
  ...subscription
}: joined.Subscription): Subscription {
  return withInstants(subscription)
}

/** A certificate as the JSON API shows it at a time (milliseconds since 1970). */
export function certificateAnswer(
  { applicationId, ...certificate }: ApplicationCertificate,
  nowMs: number,
): Certificate {
  return { ...withInstants(certificate), state: certificateState(certificate, nowMs) }
}

/** A key as the JSON API shows it at a time (milliseconds since 1970). */
export function keyAnswer({ applicationId, ...key }: ApiKey, nowMs: number): Key {
  const shown = withInstants(key)
  const state = keyState(key, nowMs)
  // Revoking an expired key only frees its name; developers still see it as expired.
  return {
    ...shown,
    state,
    revokedAt: state === 'revoked' ? shown.revokedAt : null,
  }
}

/** A new key: the only answer that holds the key itself. */
export function issuedKeyAnswer(issued: Issued, nowMs: number): IssuedKey {
  return { ...keyAnswer(issued, nowMs), key: issued.key }
}

/** Overrides as operators see them, with the present names of their makers. */
export async function overrideAnswers(
  partyNames: PartyNames,
  overrides: readonly overridden.LimitOverride[],
): Promise<LimitOverride[]> {
  const names = await partyNames.find(overrides.map(({ createdBy }) => createdBy))
  return overrides.map((override) => overrideAnswer(override, names))
}

/** An override as operators see it; `names` has its maker. */
export function overrideAnswer(
  { applicationId, ...override }: overridden.LimitOverride,
  names: Awaited<ReturnType<PartyNames['find']>>,
): LimitOverride {
  return withInstants({ ...override, createdByName: names.get(override.createdBy)?.name ?? null })
}
