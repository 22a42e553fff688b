import { NativeSelect } from '@mantine/core'
import type { CallShape } from '../../calls/call-shape.ts'
import { t } from '../../words.ts'

const redirect = 'TPP-Redirect-Preferred'
const decoupled = 'TPP-Decoupled-Preferred'

/** Values of both headers for each way to approve. */
const ways = [
  { label: 'playground.approvalAny', values: { [redirect]: '', [decoupled]: '' } },
  { label: 'playground.approvalRedirect', values: { [redirect]: 'true', [decoupled]: '' } },
  { label: 'playground.approvalDecoupled', values: { [redirect]: '', [decoupled]: 'true' } },
] as const

/** Values of a draft in which the customer approves on the bank's page; empty where an operation offers no choice. */
export function approvalOnPage({ parameters }: CallShape): Readonly<Record<string, string>> {
  return parameters.some(({ name }) => name === redirect) ? { [`header ${redirect}`]: 'true' } : {}
}

export interface ApprovalChoiceProps {
  readonly shape: CallShape
  /** Values of the draft by `header <name>`. */
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Readonly<Record<string, string>>) => void
}

/** Chooses how the customer approves, if the operation lets the application choose. */
export function ApprovalChoice({ shape, values, onChange }: ApprovalChoiceProps) {
  const hasField = (field: string) => shape.parameters.some(({ name }) => name === field)
  if (!hasField(redirect) || !hasField(decoupled)) return null
  const isSet = (field: string) => values[`header ${field}`] === 'true'
  const chosen = isSet(decoupled) ? 2 : isSet(redirect) ? 1 : 0
  return (
    <NativeSelect
      label={t('playground.approval')}
      description={t('playground.approvalSets', { redirect, decoupled })}
      value={String(chosen)}
      onChange={(event) => {
        const fields = Object.entries(ways[Number(event.currentTarget.value)]?.values ?? {})
        onChange(Object.fromEntries(fields.map(([name, value]) => [`header ${name}`, value])))
      }}
      data={ways.map(({ label }, at) => ({ value: String(at), label: t(label) }))}
    />
  )
}
