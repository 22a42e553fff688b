import { Group, NativeSelect, Paper, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import type { IssuedKey } from '../../../gateway/portal/schemas/applications.ts'
import { useKeyCreation } from '../../api/applications.ts'
import { entriesOf } from '../../components/entries.ts'
import { EntriesArea } from '../../components/entries-area.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { useFacts } from '../../facts.tsx'
import classes from './applications.module.css'

const lives = [
  { days: 30, label: 'In 30 days' },
  { days: 90, label: 'In 90 days' },
  { days: 365, label: 'In a year' },
]

/** What the operator permits. @param daysMax the longest life in days; 0: no maximum */
function expiriesWithin(daysMax: number) {
  const isPermitted = ({ days }: (typeof lives)[number]) => daysMax === 0 || days < daysMax
  return [
    { value: 'latest', label: daysMax === 0 ? 'Never' : `In ${daysMax} days (the maximum)` },
    ...lives.filter(isPermitted).map(({ days, label }) => ({ value: String(days), label })),
    { value: 'date', label: 'On a date I choose' },
  ]
}

export interface CreateKeyProps {
  readonly applicationId: string
  readonly suggestedName: string
  readonly onIssued: (key: IssuedKey) => void
  readonly onCancel: () => void
}

/** The form that makes a key: a name, when it ends by itself, and from where it may be used. */
export function CreateKey(props: CreateKeyProps) {
  const { applicationId, suggestedName, onIssued, onCancel } = props
  const { keyMaxDays } = useFacts()
  const form = useForm({
    initialValues: { name: suggestedName, expiry: 'latest', day: '', allowedAddresses: '' },
    validate: {
      day: (day, { expiry }) =>
        Number.isNaN(expiryOf(expiry, day)?.getTime())
          ? 'Enter a day before the year 10000.'
          : null,
    },
  })
  const { expiry, day } = form.values
  const field = useRef<HTMLInputElement>(null)
  const creation = useKeyCreation(applicationId, onIssued)

  useEffect(() => {
    field.current?.select()
  }, [])

  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Form
        form={form}
        mutation={creation}
        onSubmit={({ name, allowedAddresses }) => {
          const end = expiryOf(expiry, day)
          creation.mutate({
            name,
            ...(end === undefined ? {} : { expiresAt: end.toISOString() }),
            allowedAddresses: entriesOf(allowedAddresses),
          })
        }}
        errorsOf={(error) => {
          const fields = ['name', 'expiresAt', 'allowedAddresses']
          const { expiresAt, ...others } = fieldErrors(error, fields)
          return { ...others, [expiry === 'date' ? 'day' : 'expiry']: expiresAt }
        }}
        action="Create key"
        isDisabled={expiry === 'date' && day === ''}
        onCancel={onCancel}
      >
        <Title order={3}>Create a key</Title>
        <Group gap="md" align="flex-start">
          <TextInput
            ref={field}
            label="Name"
            description="Where it is used, for example “Production”."
            {...form.getInputProps('name')}
            maxLength={100}
            autoComplete="off"
            required
            flex="1 1 16rem"
          />
          <NativeSelect
            label="Expires"
            description="When the key stops working."
            {...form.getInputProps('expiry')}
            data={expiriesWithin(keyMaxDays)}
            flex="0 1 12rem"
          />
          {expiry === 'date' ? (
            <TextInput
              type="date"
              label="Last day"
              description="It works until the end of that day."
              {...form.getInputProps('day')}
              max="9999-12-31"
              required
              flex="0 1 12rem"
            />
          ) : null}
        </Group>
        <EntriesArea
          label="Allowed addresses"
          description="IP addresses or ranges, one on each line: 192.0.2.7 or 2001:db8::/32. If you leave it empty, the key works from everywhere."
          {...form.getInputProps('allowedAddresses')}
          maxRows={12}
        />
      </Form>
    </Paper>
  )
}

/** The end of the chosen day, or of a number of days from now; undefined for as late as permitted. An invalid date for a year above 9999. */
function expiryOf(expiry: string, day: string): Date | undefined {
  if (expiry === 'latest') return undefined
  if (expiry !== 'date') return new Date(Date.now() + Number(expiry) * 86_400_000)
  return new Date(`${day}T23:59:59.999`)
}
