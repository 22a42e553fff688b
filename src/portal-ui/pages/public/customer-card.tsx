import { Paper, Text, Title } from '@mantine/core'
import type { SandboxCustomer } from '../../../portal/api/schemas/sandbox.ts'
import { CopyValue } from '../../components/copy-value.tsx'
import { Pill } from '../../components/pill.tsx'
import { customerName } from '../../customer-name.ts'
import { pageLanguage, t } from '../../words.ts'
import classes from './sandbox.module.css'

/** One sandbox customer: name, ids, behaviour and accounts. */
export function CustomerCard({ customer }: { readonly customer: SandboxCustomer }) {
  const { psuId, alias, corporateId, accounts, card } = customer
  const isHebrew = pageLanguage() === 'he'
  const name = customerName(customer)
  const otherName = isHebrew ? customer.name : customer.nameInHebrew
  const note = isHebrew ? customer.noteInHebrew : customer.note
  const behaviour = sentence(isHebrew ? customer.behavesInHebrew : customer.behaves)
  return (
    <Paper
      id={psuId}
      withBorder
      shadow="xs"
      component="article"
      aria-label={name}
      className={classes['customer'] ?? ''}
    >
      <div className={classes['who']}>
        <span className={classes['initials']} aria-hidden="true">
          {initialsOf(name)}
        </span>
        <div>
          <Title order={3}>
            <bdi>{name}</bdi>
            {otherName === name ? null : (
              <>
                {' '}
                <bdi className={classes['otherName']} lang={isHebrew ? 'en' : 'he'}>
                  {otherName}
                </bdi>
              </>
            )}
          </Title>
          <Text size="sm">{note ?? behaviour}</Text>
        </div>
      </div>
      {note === null ? null : (
        <Text size="sm" c="dimmed">
          {behaviour}
        </Text>
      )}
      <dl className={classes['facts']}>
        <dt>{t('people.id')}</dt>
        <dd>
          <CopyValue value={psuId} label={t('people.idOf', { name })} />
        </dd>
        <dt>{t('people.alias')}</dt>
        <dd>
          <CopyValue value={alias} label={t('people.aliasOf', { name })} />
        </dd>
        {corporateId === null ? null : (
          <>
            <dt>{t('people.corporateId')}</dt>
            <dd>
              <CopyValue value={corporateId} label={t('people.corporateIdOf', { name })} />
            </dd>
          </>
        )}
      </dl>
      <ul className={classes['accounts']} aria-label={t('people.accountsOf', { name })}>
        {accounts.map((account) => {
          const accountName = isHebrew ? account.nameInHebrew : account.name
          return (
            <li key={account.resourceId}>
              <span className={classes['account']}>
                <bdi>{accountName}</bdi>
                {account.status === 'enabled' ? null : (
                  <Pill tone="warn">
                    {account.status === 'deleted' ? t('people.closed') : t('people.blocked')}
                  </Pill>
                )}
                {account.currency === noCurrency ? null : (
                  <span className={classes['currency']}>{account.currency}</span>
                )}
              </span>
              <CopyValue
                value={account.iban}
                shown={grouped(account.iban)}
                label={t('people.ibanOf', { name, account: accountName })}
              />
            </li>
          )
        })}
        {card === null ? null : (
          <li>
            <span className={classes['account']}>{t('people.card')}</span>
            <CopyValue value={card.maskedPan} label={t('people.cardOf', { name })} />
          </li>
        )}
      </ul>
    </Paper>
  )
}

/** ISO 4217 code of an account that combines the others; its name already says that. */
const noCurrency = 'XXX'

function initialsOf(name: string): string {
  const words = name.split(/[\s.]+/)
  return words
    .map(([first = '']) => first)
    .slice(0, 2)
    .join('')
}

/** An IBAN in groups of four. */
function grouped(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1 ')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
