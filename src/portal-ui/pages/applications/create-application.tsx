import { Paper, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplicationCreation } from '../../api/applications.ts'
import { Form } from '../../components/form.tsx'
import { t } from '../../words.ts'
import classes from './applications.module.css'

export interface CreateApplicationProps {
  /** Whether it is the first application; then the form cannot be cancelled. */
  readonly isFirst: boolean
  readonly onCreated: (application: Application) => void
  readonly onCancel?: () => void
}

/** The form that creates an application; errors of the name appear at the name field. */
export function CreateApplication({ isFirst, onCreated, onCancel }: CreateApplicationProps) {
  const form = useForm({ initialValues: { name: isFirst ? t('createApplication.firstName') : '' } })
  const field = useRef<HTMLInputElement>(null)
  const creation = useApplicationCreation(onCreated)

  useEffect(() => {
    if (!isFirst) field.current?.focus()
  }, [isFirst])

  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Form
        form={form}
        mutation={creation}
        onSubmit={(values) => creation.mutate(values)}
        action={t('applications.create')}
        onCancel={onCancel}
      >
        <Title order={2}>
          {t(isFirst ? 'createApplication.first' : 'createApplication.title')}
        </Title>
        <TextInput
          label={t('createApplication.name')}
          description={t('createApplication.help')}
          {...form.getInputProps('name')}
          autoComplete="off"
          maxLength={100}
          required
          ref={field}
          maw="30rem"
        />
      </Form>
    </Paper>
  )
}
