import { Table, Text, Title } from '@mantine/core'
import type { SandboxCustomer } from '../../../portal/api/schemas/sandbox.ts'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { useSession } from '../../api/session.ts'
import { CopyValue } from '../../components/copy-value.tsx'
import { DataTable, RowName } from '../../components/data-table.tsx'
import { Pill } from '../../components/pill.tsx'
import { customerName } from '../../customer-name.ts'
import { signInPath } from '../../reference/sign-in-path.ts'
import { TryLink } from '../../reference/try-link.tsx'
import { TryWithOwn } from '../../reference/try-with-own.tsx'
import { pageLanguage, t } from '../../words.ts'
import classes from './sandbox.module.css'

/** The sandbox customers, a row each: name, behaviour, ids and accounts. */
export function CustomerTable({ customers }: { readonly customers: readonly SandboxCustomer[] }) {
  return (
    <DataTable
      label={t('sandbox.peopleTable')}
      columns={[
        { name: 'name', label: t('field.name') },
        { name: 'behaviour', label: t('people.behaviour'), narrow: 'below' },
        { name: 'ids', label: t('people.ids'), narrow: 'below' },
        { name: 'accounts', label: t('people.accounts'), narrow: 'below' },
      ]}
    >
      {customers.map((customer) => (
        <CustomerRow key={customer.psuId} customer={customer} />
      ))}
    </DataTable>
  )
}

function CustomerRow({ customer }: { readonly customer: SandboxCustomer }) {
  const { psuId, alias, corporateId } = customer
  const isHebrew = pageLanguage() === 'he'
  const name = customerName(customer)
  const otherName = isHebrew ? customer.name : customer.nameInHebrew
  const note = isHebrew ? customer.noteInHebrew : customer.note
  const behaviour = sentence(isHebrew ? customer.behavesInHebrew : customer.behaves)
  return (
    <Table.Tr id={psuId} className={classes['customer'] ?? ''}>
      <RowName>
        <Title order={3} size="md">
          <bdi>{name}</bdi>
        </Title>
        {otherName === name ? null : (
          <bdi className={classes['otherName']} lang={isHebrew ? 'en' : 'he'}>
            {otherName}
          </bdi>
        )}
      </RowName>
      <Table.Td className={classes['behaviour'] ?? ''}>
        <Text size="sm">{note ?? behaviour}</Text>
        {note === null ? null : (
          <Text size="sm" c="dimmed">
            {behaviour}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <div className={classes['values']}>
          <CopyValue value={psuId} label={t('people.idOf', { name })} />
          <CopyValue value={alias} label={t('people.aliasOf', { name })} />
          {corporateId === null ? null : (
            <>
              <Text size="xs" c="dimmed">
                {t('people.corporateId')}
              </Text>
              <CopyValue value={corporateId} label={t('people.corporateIdOf', { name })} />
            </>
          )}
          <AskCustomer customer={customer} name={name} />
        </div>
      </Table.Td>
      <Table.Td>
        <Accounts customer={customer} name={name} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Leads to the playground, with a call that asks the customer for a consent. */
function AskCustomer({ customer: { psuId, corporateId }, name }: AccountsProps) {
  const { data: session } = useSession()
  const query = new URLSearchParams({
    customer: psuId,
    ...(corporateId === null ? {} : { corporation: corporateId }),
  })
  const words = { shown: t('people.ask'), spoken: t('people.askNamed', { name }) }
  return session === null || session === undefined ? (
    <TryLink href={signInPath(`${pagePaths.sandbox}#${psuId}`)} words={words} />
  ) : (
    <TryWithOwn query={`?${query}`} words={words} />
  )
}

interface AccountsProps {
  readonly customer: SandboxCustomer
  readonly name: string
}

function Accounts({ customer: { accounts, card }, name }: AccountsProps) {
  return (
    <ul className={classes['accounts']} aria-label={t('people.accountsOf', { name })}>
      {accounts.map((account) => {
        const accountName = pageLanguage() === 'he' ? account.nameInHebrew : account.name
        return (
          <li key={account.resourceId}>
            <CopyValue
              value={account.iban}
              shown={grouped(account.iban)}
              label={t('people.ibanOf', { name, account: accountName })}
            />
            <span className={classes['account']}>
              <bdi>{accountName}</bdi>
              {account.currency === noCurrency ? null : <span>{account.currency}</span>}
              {account.status === 'enabled' ? null : (
                <Pill tone="warn">
                  {account.status === 'deleted' ? t('people.closed') : t('people.blocked')}
                </Pill>
              )}
            </span>
          </li>
        )
      })}
      {card === null ? null : (
        <li>
          <CopyValue value={card.maskedPan} label={t('people.cardOf', { name })} />
          <span className={classes['account']}>{t('people.card')}</span>
        </li>
      )}
    </ul>
  )
}

/** ISO 4217 code of an account that combines the others; its name already says that. */
const noCurrency = 'XXX'

/** An IBAN in groups of four. */
function grouped(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1 ')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
