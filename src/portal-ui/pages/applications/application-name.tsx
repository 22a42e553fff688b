import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { useApplicationUpdate } from '../../api/applications.ts'
import { Form, filled } from '../../components/form.tsx'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { SectionCard } from '../../components/section-card.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { t } from '../../words.ts'

/** The name of an application, which customers of a bank read, and whether it is suspended. */
export function ApplicationName({ application }: { readonly application: Application }) {
  const { id, name, createdAt, suspendedAt } = application
  const { hasBank } = useFacts()
  const form = useForm({ initialValues: { name }, validate: { name: filled() } })
  const renaming = useApplicationUpdate(id, (saved) => form.setValues({ name: saved.name }))
  return (
    <SectionCard
      title={t('settings.general')}
      lead={<Message id="settings.created" values={{ time: <Time at={createdAt} /> }} />}
      action={
        <Pill tone={suspendedAt === null ? 'ok' : 'bad'} hasDot>
          {t(suspendedAt === null ? 'settings.active' : 'settings.suspended')}
        </Pill>
      }
    >
      <Form
        form={form}
        mutation={renaming}
        label={t('settings.general')}
        onSubmit={(values) => renaming.mutate(values)}
        action={t('settings.saveName')}
        isDisabled={form.values.name === name}
        beside={
          <Text size="sm" role="status" c="green">
            {renaming.isSuccess ? t('settings.nameSaved') : ''}
          </Text>
        }
      >
        <TextInput
          label={t('field.name')}
          description={hasBank ? t('settings.nameHelp') : undefined}
          {...form.getInputProps('name')}
          maxLength={100}
          autoComplete="off"
          required
          maw="30rem"
        />
      </Form>
    </SectionCard>
  )
}
