import { Paper, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { useApplicationCreation } from '../../api/applications.ts'
import { Form } from '../../components/form.tsx'
import { t } from '../../words.ts'
import { ApplicationNameField } from './application-name-field.tsx'
import classes from './applications.module.css'

export interface CreateApplicationProps {
  readonly onCreated: (application: Application) => void
  readonly onCancel: () => void
}

/** The form that creates an application; errors of the name appear at the name field. */
export function CreateApplication({ onCreated, onCancel }: CreateApplicationProps) {
  const form = useForm({ initialValues: { name: '' } })
  const field = useRef<HTMLInputElement>(null)
  const creation = useApplicationCreation(onCreated)

  useEffect(() => {
    field.current?.focus()
  }, [])

  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Form
        form={form}
        mutation={creation}
        onSubmit={(values) => creation.mutate(values)}
        action={t('applications.create')}
        onCancel={onCancel}
      >
        <Title order={2}>{t('createApplication.title')}</Title>
        <ApplicationNameField {...form.getInputProps('name')} ref={field} />
      </Form>
    </Paper>
  )
}
