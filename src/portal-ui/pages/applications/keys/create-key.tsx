import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import type { IssuedKey } from '../../../../portal/api/schemas/applications.ts'
import { useKeyCreation } from '../../../api/applications.ts'
import { entriesOf } from '../../../components/entries.ts'
import { EntriesArea } from '../../../components/entries-area.tsx'
import { fieldErrors } from '../../../components/field-errors.ts'
import { Form } from '../../../components/form.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { useFacts } from '../../../facts.tsx'
import { t } from '../../../words.ts'

const lives = [
  { days: 30, label: 'keys.in30Days' },
  { days: 90, label: 'keys.in90Days' },
  { days: 365, label: 'keys.inAYear' },
] as const

/** The expiry options that the operator permits. @param daysMax maximum lifetime in days; 0: no maximum */
function expiriesWithin(daysMax: number) {
  const isPermitted = ({ days }: (typeof lives)[number]) => daysMax === 0 || days < daysMax
  return [
    {
      value: 'latest',
      label: daysMax === 0 ? t('common.never') : t('keys.inMaximum', { days: daysMax }),
    },
    ...lives
      .filter(isPermitted)
      .map(({ days, label }) => ({ value: String(days), label: t(label) })),
    { value: 'date', label: t('keys.onDate') },
  ]
}

export interface CreateKeyProps {
  readonly applicationId: string
  readonly suggestedName: string
  readonly onIssued: (key: IssuedKey) => void
  readonly onCancel: () => void
}

/** The form that creates a key: its name, its expiry, its allowed addresses, and whether it may replace itself. */
export function CreateKey(props: CreateKeyProps) {
  const { applicationId, suggestedName, onIssued, onCancel } = props
  const { keyMaxDays } = useFacts()
  const form = useForm({
    initialValues: { name: suggestedName, expiry: 'latest', day: '', allowedAddresses: '' },
    validate: {
      day: (day, { expiry }) =>
        Number.isNaN(expiryOf(expiry, day)?.getTime()) ? t('keys.dayInvalid') : null,
    },
  })
  const { expiry, day } = form.values
  const [mayReplaceItself, setMayReplaceItself] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const creation = useKeyCreation(applicationId, onIssued)

  useEffect(() => {
    field.current?.select()
  }, [])

  return (
    <SectionCard title={t('keys.createTitle')} order={3}>
      <Form
        form={form}
        mutation={creation}
        onSubmit={({ name, allowedAddresses }) => {
          const end = expiryOf(expiry, day)
          creation.mutate({
            name,
            ...(end === undefined ? {} : { expiresAt: end.toISOString() }),
            allowedAddresses: entriesOf(allowedAddresses),
            mayReplaceItself,
          })
        }}
        errorsOf={(error) => {
          const fields = ['name', 'expiresAt', 'allowedAddresses']
          const { expiresAt, ...others } = fieldErrors(error, fields)
          return { ...others, [expiry === 'date' ? 'day' : 'expiry']: expiresAt }
        }}
        action={t('keys.create')}
        isDisabled={expiry === 'date' && day === ''}
        onCancel={onCancel}
      >
        <Group gap="md" align="flex-start">
          <TextInput
            ref={field}
            label={t('field.name')}
            description={t('keys.nameHelp')}
            {...form.getInputProps('name')}
            maxLength={100}
            autoComplete="off"
            required
            flex="1 1 16rem"
          />
          <NativeSelect
            label={t('keys.expires')}
            description={t('keys.expiresHelp')}
            {...form.getInputProps('expiry')}
            data={expiriesWithin(keyMaxDays)}
            flex="0 1 12rem"
          />
          {expiry === 'date' ? (
            <TextInput
              type="date"
              label={t('keys.lastDay')}
              description={t('keys.lastDayHelp')}
              {...form.getInputProps('day')}
              max="9999-12-31"
              required
              flex="0 1 12rem"
            />
          ) : null}
        </Group>
        <EntriesArea
          label={t('keys.addressesOptional')}
          description={t('keys.addressesOptionalHelp')}
          {...form.getInputProps('allowedAddresses')}
          maxRows={12}
        />
        <Checkbox
          label={t('keys.selfReplacing')}
          description={t('keys.selfReplacingHelp')}
          checked={mayReplaceItself}
          onChange={(event) => setMayReplaceItself(event.currentTarget.checked)}
        />
      </Form>
    </SectionCard>
  )
}

/**
 * The end of the chosen day, or the time in a number of days; undefined: as late
 * as permitted. Returns an invalid date for a year above 9999.
 */
function expiryOf(expiry: string, day: string): Date | undefined {
  if (expiry === 'latest') return undefined
  if (expiry !== 'date') return new Date(Date.now() + Number(expiry) * 86_400_000)
  return new Date(`${day}T23:59:59.999`)
}
