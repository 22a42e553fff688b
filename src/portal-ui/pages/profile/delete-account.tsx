import { Button, List, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { Developer } from '../../../portal/api/schemas/accounts.ts'
import { useAccountDeletion } from '../../api/profile.ts'
import { ConfirmByTyping } from '../../components/confirm-by-typing.tsx'
import { filled } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useFacts } from '../../facts.tsx'
import { t } from '../../words.ts'
import { WhosePassword } from './whose-password.tsx'

/** Deletes the account after the developer has typed its address, and its password if it has one. */
export function DeleteAccount({
  developer: { email, signsInWith },
}: {
  readonly developer: Developer
}) {
  const { hasBank } = useFacts()
  const hasPassword = signsInWith === 'password'
  const form = useForm({
    initialValues: { typed: '', currentPassword: '' },
    validate: hasPassword ? { currentPassword: filled(t('account.enterPassword')) } : {},
  })
  const deletion = useAccountDeletion()
  const [opened, { open, close }] = useDisclosure(false, {
    onClose() {
      form.reset()
      deletion.reset()
    },
  })
  return (
    <>
      <Button color="red" variant="outline" onClick={open}>
        {t('profile.deleteOpen')}
      </Button>
      <ConfirmByTyping
        opened={opened}
        title={t('profile.deleteTitle')}
        name={email}
        form={form}
        mutation={deletion}
        onSubmit={({ currentPassword }) => deletion.mutate(hasPassword ? { currentPassword } : {})}
        onCancel={close}
        action={t('profile.delete')}
      >
        <Text size="sm">{t('profile.deleted')}</Text>
        <List size="sm">
          <List.Item>{t('profile.deletedAccount')}</List.Item>
          <List.Item>{t('profile.deletedApplications')}</List.Item>
          <List.Item>{t('profile.deletedUsage')}</List.Item>
        </List>
        <Text size="sm">{t('profile.deletedMeans')}</Text>
        {hasBank ? <Text size="sm">{t('consents.endWithIt')}</Text> : null}
        {hasPassword ? (
          <>
            <WhosePassword />
            <PasswordField
              label={t('account.currentPassword')}
              {...form.getInputProps('currentPassword')}
              autoComplete="current-password"
            />
          </>
        ) : null}
      </ConfirmByTyping>
    </>
  )
}
