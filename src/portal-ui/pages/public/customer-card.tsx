import { Badge, Paper, Text, Title } from '@mantine/core'
import type { SandboxCustomer } from '../../../gateway/portal/schemas/sandbox.ts'
import { CopyValue } from '../../components/copy-value.tsx'
import classes from './sandbox.module.css'

/** One sandbox customer: name, ids, behaviour and accounts. */
export function CustomerCard({ customer }: { readonly customer: SandboxCustomer }) {
  const { psuId, alias, name, behaves, note, corporateId, accounts, card } = customer
  const initials = name
    .split(/[\s.]+/)
    .map(([first = '']) => first)
    .slice(0, 2)
    .join('')
  return (
    <Paper
      id={psuId}
      withBorder
      component="article"
      aria-label={name}
      className={classes['customer'] ?? ''}
    >
      <div className={classes['who']}>
        <span className={classes['initials']} aria-hidden="true">
          {initials}
        </span>
        <div>
          <Title order={3}>{name}</Title>
          <Text size="sm" c="dimmed">
            {sentence(behaves)}
          </Text>
        </div>
      </div>
      {note === null ? null : <Text size="sm">{note}</Text>}
      <dl className={classes['facts']}>
        <dt>Id</dt>
        <dd>
          <CopyValue value={psuId} label={`id of ${name}`} />
        </dd>
        <dt>Alias</dt>
        <dd>
          <CopyValue value={alias} label={`alias of ${name}`} />
        </dd>
        {corporateId === null ? null : (
          <>
            <dt>Corporate id</dt>
            <dd>
              <CopyValue value={corporateId} label={`corporate id of ${name}`} />
            </dd>
          </>
        )}
      </dl>
      <ul className={classes['accounts']} aria-label={`Accounts of ${name}`}>
        {accounts.map((account) => (
          <li key={account.resourceId}>
            <span className={classes['account']}>
              {account.name}
              {account.status === 'enabled' ? null : (
                <Badge size="xs" color="amber">
                  {account.status === 'deleted' ? 'closed' : account.status}
                </Badge>
              )}
              {account.currency === noCurrency ? null : (
                <span className={classes['currency']}>{account.currency}</span>
              )}
            </span>
            <CopyValue
              value={account.iban}
              shown={grouped(account.iban)}
              label={`IBAN of ${name}, ${account.name}`}
            />
          </li>
        ))}
        {card === null ? null : (
          <li>
            <span className={classes['account']}>Card</span>
            <CopyValue value={card.maskedPan} label={`card number of ${name}`} />
          </li>
        )}
      </ul>
    </Paper>
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
