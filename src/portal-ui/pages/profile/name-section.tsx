import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Developer } from '../../../portal/api/schemas/accounts.ts'
import { useNameChange } from '../../api/profile.ts'
import { Form, filled } from '../../components/form.tsx'
import { t } from '../../words.ts'
import { ProfileSection } from './profile-section.tsx'

/** The display name. */
export function NameSection({ developer }: { readonly developer: Developer }) {
  const change = useNameChange()
  const form = useForm({
    initialValues: { name: developer.name },
    validate: { name: filled(t('account.enterName')) },
  })
  return (
    <ProfileSection title={t('account.name')} lead={t('profile.nameLead')}>
      <Form
        form={form}
        mutation={change}
        label={t('profile.changeName')}
        onSubmit={({ name }) => change.mutate({ name })}
        action={t('profile.changeName')}
        isDisabled={form.values.name === developer.name}
        beside={
          <Text size="sm" role="status" c="green">
            {change.isSuccess ? t('profile.nameChanged') : ''}
          </Text>
        }
      >
        <TextInput
          label={t('account.name')}
          {...form.getInputProps('name')}
          autoComplete="name"
          maxLength={100}
          required
        />
      </Form>
    </ProfileSection>
  )
}
