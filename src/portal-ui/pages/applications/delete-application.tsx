import { Button, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from 'wouter'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { useApplicationDeletion } from '../../api/applications.ts'
import { ConfirmByTyping } from '../../components/confirm-by-typing.tsx'
import { SectionCard } from '../../components/section-card.tsx'
import { useFacts } from '../../facts.tsx'
import { t } from '../../words.ts'

/** Deletes an application after its name was typed. */
export function DeleteApplication({ application }: { readonly application: Application }) {
  const { id, name } = application
  const [, navigate] = useLocation()
  const { hasBank } = useFacts()
  const form = useForm({ initialValues: { typed: '' } })
  // In the place of its page, which the button of the browser does not lead back to.
  const deletion = useApplicationDeletion(id, () => navigate('/applications', { replace: true }))
  const [opened, { open, close }] = useDisclosure(false, {
    onOpen() {
      form.reset()
      deletion.reset()
    },
  })
  return (
    <>
      <SectionCard
        title={t('settings.delete')}
        lead={t('settings.deleteLead')}
        action={
          <Button variant="outline" color="red" onClick={open}>
            {t('settings.deleteOpen')}
          </Button>
        }
      />
      <ConfirmByTyping
        opened={opened}
        title={t('settings.deleteTitle')}
        name={name}
        form={form}
        mutation={deletion}
        onSubmit={() => deletion.mutate()}
        onCancel={close}
        action={t('settings.delete')}
      >
        <Text>{t('settings.deleteMeans')}</Text>
        {hasBank ? <Text>{t('consents.endWithIt')}</Text> : null}
      </ConfirmByTyping>
    </>
  )
}
