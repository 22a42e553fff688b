import { Title } from '@mantine/core'
import type { Credential } from '../../portal/documents/own-security.ts'
import { t } from '../words.ts'
import { Markup } from './markup.tsx'
import classes from './reference.module.css'

export interface SecurityListProps {
  /** Alternatives; one without credentials needs only the gateway's key. */
  readonly security: readonly (readonly Credential[])[]
}

/** What the API itself asks for, beside the gateway's key. */
export function SecurityList({ security }: SecurityListProps) {
  if (security.every(({ length }) => length === 0)) return null
  return (
    <section aria-labelledby="security">
      <Title order={3} id="security">
        {t('reference.security')}
      </Title>
      {security.length > 1 ? (
        <span className={classes['facts']}>{t('reference.oneOf')}</span>
      ) : null}
      <ul className={classes['tree']}>
        {security.map((credentials, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two alternatives may have the same schemes
          <li key={at} className={classes['member']}>
            {credentials.length === 0 ? t('reference.keyAlone') : null}
            {credentials.map((credential) => (
              <OwnCredential key={credential.scheme} credential={credential} />
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

function OwnCredential({ credential }: { readonly credential: Credential }) {
  const { name, place, example, scheme, scopes, purpose } = credential
  return (
    <>
      <div className={classes['memberHead']}>
        <code className={classes['memberName']} dir="ltr">
          {example === '' ? name : `${name}: ${example}`}
        </code>
        <span className={classes['facts']}>
          {place === 'cookie' ? 'Cookie' : null}
          {place === 'query' ? t('reference.place.query') : null}
          <bdi data-document>{scheme}</bdi>
        </span>
        {scopes.length === 0 ? null : (
          <span className={classes['choices']}>
            {t('reference.scopes')}{' '}
            {scopes.map((scope) => (
              <code key={scope} dir="ltr">
                {scope}
              </code>
            ))}
          </span>
        )}
      </div>
      <Markup text={purpose} />
    </>
  )
}
