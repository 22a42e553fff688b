import { NativeSelect } from '@mantine/core'
import { useSandbox } from '../../../api/sandbox.ts'
import { valueKey } from '../../../calls/call-draft.ts'
import type { CallShape } from '../../../calls/call-shape.ts'
import { customerName } from '../../../customer-name.ts'
import { useFacts } from '../../../facts.tsx'
import { pageLanguage, t } from '../../../words.ts'
import type { AskedCustomer } from './asked-customer.ts'

const redirect = 'TPP-Redirect-Preferred'
const decoupled = 'TPP-Decoupled-Preferred'
const psu = 'header PSU-ID'
const corporation = 'header PSU-Corporate-ID'

/** Values of both headers for each way to approve. */
const ways = [
  { label: 'playground.approvalAny', values: { [redirect]: '', [decoupled]: '' } },
  { label: 'playground.approvalRedirect', values: { [redirect]: 'true', [decoupled]: '' } },
  { label: 'playground.approvalDecoupled', values: { [redirect]: '', [decoupled]: 'true' } },
] as const

/** Values of a draft in which the customer approves on the bank's page; empty if an operation offers no choice. */
export function approvalOnPage({ parameters }: CallShape): Readonly<Record<string, string>> {
  return parameters.some(({ name }) => name === redirect) ? { [`header ${redirect}`]: 'true' } : {}
}

/** Values of a draft in which this customer approves, in the bank's app; those that the operation has. */
export function approvalInApp(
  { parameters }: CallShape,
  { psuId, corporateId }: AskedCustomer,
): Readonly<Record<string, string>> {
  const values = { [`header ${decoupled}`]: 'true', [psu]: psuId, [corporation]: corporateId }
  const known = Object.entries(values).filter(([name]) =>
    parameters.some((parameter) => valueKey(parameter) === name),
  )
  return Object.fromEntries(known)
}

export interface ApprovalChoiceProps {
  readonly shape: CallShape
  /** Values of the draft by `header <name>`. */
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Readonly<Record<string, string>>) => void
}

/**
 * Chooses how the customer approves, if the operation lets the application
 * choose. In the bank's app the bank must know whom to ask: the form fills in a
 * sandbox customer.
 */
export function ApprovalChoice({ shape, values, onChange }: ApprovalChoiceProps) {
  const { hasSandbox } = useFacts()
  const hasField = (field: string) => shape.parameters.some(({ name }) => name === field)
  const asksCustomer = hasSandbox && hasField('PSU-ID') && hasField(decoupled)
  const customers = useSandbox(asksCustomer).data?.customers ?? []
  if (!hasField(redirect) || !hasField(decoupled)) return null
  const isSet = (field: string) => values[`header ${field}`] === 'true'
  const chosen = isSet(decoupled) ? 2 : isSet(redirect) ? 1 : 0
  const given = values[psu] ?? ''
  const customer = customers.find(({ psuId, alias }) => [psuId, alias].includes(given))
  const idsOf = (each: (typeof customers)[number] | undefined) => ({
    [psu]: each?.psuId ?? '',
    ...(hasField('PSU-Corporate-ID') ? { [corporation]: each?.corporateId ?? '' } : {}),
  })
  const choose = (way: number) => {
    const fields = Object.entries(ways[way]?.values ?? {})
    const headers = Object.fromEntries(fields.map(([name, value]) => [`header ${name}`, value]))
    const isAsked = way === 2 && given === '' && asksCustomer
    const isAskedNoMore = way !== 2 && customer !== undefined
    onChange({
      ...headers,
      ...(isAsked ? idsOf(customers[0]) : {}),
      ...(isAskedNoMore ? idsOf(undefined) : {}),
    })
  }
  return (
    <>
      <NativeSelect
        label={t('playground.approval')}
        description={t('playground.approvalSets', { redirect, decoupled })}
        value={String(chosen)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
        data={ways.map(({ label }, at) => ({ value: String(at), label: t(label) }))}
      />
      {chosen === 2 && customers.length > 0 ? (
        <NativeSelect
          label={t('playground.customer')}
          description={t('playground.customerSets', { header: 'PSU-ID' })}
          value={customer?.psuId ?? ''}
          onChange={(event) => {
            const asked = customers.find(({ psuId }) => psuId === event.currentTarget.value)
            onChange(idsOf(asked))
          }}
          data={[
            ...(customer === undefined
              ? [{ value: '', label: given === '' ? t('playground.notSent') : given }]
              : []),
            ...customers.map((each) => ({
              value: each.psuId,
              label: t('playground.customerBehaves', {
                name: customerName(each),
                behaves: pageLanguage() === 'he' ? each.behavesInHebrew : each.behaves,
              }),
            })),
          ]}
        />
      ) : null}
    </>
  )
}
