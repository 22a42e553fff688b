import { Button, Group, Paper, Stack, TextInput, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplicationCreation } from '../../api/applications.ts'
import { focusFirstInvalid } from '../../components/field-errors.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import classes from './applications.module.css'
import { nameFailure } from './name-failure.ts'

export interface CreateApplicationProps {
  /** Whether it is the first application; then the form cannot be cancelled. */
  readonly isFirst: boolean
  readonly onCreated: (application: Application) => void
  readonly onCancel?: () => void
}

/** The form that creates an application; errors of the name appear at the name field. */
export function CreateApplication({ isFirst, onCreated, onCancel }: CreateApplicationProps) {
  const [name, setName] = useState(isFirst ? 'My first application' : '')
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const creation = useApplicationCreation(onCreated)
  const { atName, elsewhere } = nameFailure(creation.error)

  useEffect(() => {
    if (!isFirst) field.current?.focus()
  }, [isFirst])

  const create = () => {
    if (creation.isPending) return
    creation.mutate({ name }, { onError: () => focusFirstInvalid(form.current) })
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
          <Title order={2} size="h3">
            {isFirst ? 'Create your first application' : 'Create an application'}
          </Title>
          <TextInput
            label="Name"
            description="You can change it later."
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value)
              creation.reset()
            }}
            error={atName}
            autoComplete="off"
            maxLength={100}
            required
            ref={field}
            maw="30rem"
          />
          <ProblemAlert error={elsewhere} />
          <Group gap="sm">
            <Button type="submit" loading={creation.isPending}>
              Create application
            </Button>
            {onCancel === undefined ? null : (
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}
