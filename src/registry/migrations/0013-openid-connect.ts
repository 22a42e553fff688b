import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * The identity of a developer at an OpenID Connect provider. An account has
 * such an identity or a password, never both: a person who leaves the bank must not keep
 * a second way in.
 */
export const openIdConnect = migrationOf(
  `alter table developers
    add column oidc_issuer text,
    add column oidc_subject text,
    add constraint developers_oidc unique (oidc_issuer, oidc_subject),
    add constraint developers_oidc_whole check ((oidc_issuer is null) = (oidc_subject is null)),
    add constraint developers_one_way_in check (oidc_subject is null or password_hash is null)`,

  `alter table sessions
    drop constraint sessions_factor_check,
    add constraint sessions_factor_check check (factor in ('totp', 'passkey', 'recovery-code', 'oidc'))`,
)
