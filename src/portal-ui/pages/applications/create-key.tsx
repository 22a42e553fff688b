import { Button, Group, NativeSelect, Paper, Stack, TextInput, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { IssuedKey, KeyInput } from '../../../gateway/portal/schemas/applications.ts'
import { useKeyCreation } from '../../api/applications.ts'
import { fieldErrors, focusFirstInvalid, formError } from '../../components/field-errors.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import classes from './applications.module.css'
import { nameFailure } from './name-failure.ts'

const expiries = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a day I choose' },
]

export interface CreateKeyProps {
  readonly applicationId: string
  readonly suggestedName: string
  readonly onIssued: (key: IssuedKey) => void
  readonly onCancel: () => void
}

/** The form that makes a key: a name, and when it ends by itself. */
export function CreateKey(props: CreateKeyProps) {
  const { applicationId, suggestedName, onIssued, onCancel } = props
  const [name, setName] = useState(suggestedName)
  const [expiry, setExpiry] = useState('never')
  const [day, setDay] = useState('')
  const [isDayWrong, setIsDayWrong] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const creation = useKeyCreation(applicationId, onIssued)
  const { atName, elsewhere } = nameFailure(creation.error)
  const atExpiry = fieldErrors(creation.error, ['expiresAt']).expiresAt

  useEffect(() => {
    field.current?.select()
  }, [])

  const create = () => {
    if (creation.isPending) return
    const end = expiryOf(expiry, day)
    if (Number.isNaN(end?.getTime())) {
      setIsDayWrong(true)
      focusFirstInvalid(form.current)
      return
    }
    const input: KeyInput = { name, ...(end === undefined ? {} : { expiresAt: end.toISOString() }) }
    creation.mutate(input, { onError: () => focusFirstInvalid(form.current) })
  }

  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          create()
        }}
      >
        <Stack gap="md">
          <Title order={3}>Create a key</Title>
          <Group gap="md" align="flex-start">
            <TextInput
              ref={field}
              label="Name"
              description="Where it is used, for example “Production”."
              value={name}
              onChange={(event) => {
                setName(event.currentTarget.value)
                creation.reset()
              }}
              error={atName}
              maxLength={100}
              autoComplete="off"
              required
              flex="1 1 16rem"
            />
            <NativeSelect
              label="Expires"
              description="The key stops working afterwards."
              value={expiry}
              onChange={(event) => setExpiry(event.currentTarget.value)}
              data={expiries}
              error={expiry === 'date' ? undefined : atExpiry}
              flex="0 1 12rem"
            />
            {expiry === 'date' ? (
              <TextInput
                type="date"
                label="Last day"
                description="It works until the end of that day."
                value={day}
                onChange={(event) => {
                  setDay(event.currentTarget.value)
                  setIsDayWrong(false)
                }}
                max="9999-12-31"
                error={isDayWrong ? 'Enter a day before the year 10000.' : atExpiry}
                required
                flex="0 1 12rem"
              />
            ) : null}
          </Group>
          <ProblemAlert error={formError(elsewhere, ['expiresAt'])} />
          <Group gap="sm">
            <Button
              type="submit"
              loading={creation.isPending}
              disabled={expiry === 'date' && day === ''}
            >
              Create key
            </Button>
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

/** The end of the chosen day, or of a number of days from now; undefined for never. An invalid date for a year above 9999. */
function expiryOf(expiry: string, day: string): Date | undefined {
  if (expiry === 'never') return undefined
  if (expiry !== 'date') return new Date(Date.now() + Number(expiry) * 86_400_000)
  return new Date(`${day}T23:59:59.999`)
}
