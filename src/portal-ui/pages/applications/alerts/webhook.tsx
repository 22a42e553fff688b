import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { Alerts, NewWebhook } from '../../../../portal/api/schemas/alerts.ts'
import { useWebhookRemoval, useWebhookSetting } from '../../../api/alerts.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { CopyLine } from '../../../components/copy-line.tsx'
import { Form, filled } from '../../../components/form.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { t } from '../../../words.ts'

export interface WebhookProps {
  readonly applicationId: string
  readonly webhook: Alerts['webhook']
  /** Whether it may be an http address of the reader's machine. */
  readonly isLocalAllowed: boolean
}

/** Where events of an application are sent, and the secret that signs them, shown once. */
export function Webhook({ applicationId, webhook, isLocalAllowed }: WebhookProps) {
  const urlHelp = isLocalAllowed ? 'webhook.urlHelpLocal' : 'webhook.urlHelp'
  const [set, setSet] = useState<NewWebhook>()
  const [isRemoving, setIsRemoving] = useState(false)
  const form = useForm({
    initialValues: { url: webhook?.url ?? '' },
    validate: { url: filled() },
  })
  const setting = useWebhookSetting(applicationId, (made) => {
    setSet(made)
    form.setValues({ url: made.url })
  })
  const removal = useWebhookRemoval(applicationId, () => {
    setIsRemoving(false)
    setSet(undefined)
    form.setValues({ url: '' })
  })
  return (
    <SectionCard title={t('webhook.title')} lead={t('webhook.lead')}>
      <Stack gap="md">
        {set === undefined ? null : (
          <Stack gap="sm">
            <Alert color="amber" title={t('webhook.onlyNow')}>
              {t('webhook.store')}
            </Alert>
            <CopyLine text={set.secret} label={t('webhook.secret')} isProminent />
            <Group>
              <Button variant="default" onClick={() => setSet(undefined)}>
                {t('webhook.stored')}
              </Button>
            </Group>
          </Stack>
        )}
        <Form
          form={form}
          mutation={setting}
          label={t(webhook === null ? 'webhook.add' : 'webhook.replace')}
          onSubmit={({ url }) => setting.mutate({ url })}
          action={t(webhook === null ? 'webhook.add' : 'webhook.replace')}
          beside={
            webhook === null ? null : (
              <Button variant="default" onClick={() => setIsRemoving(true)}>
                {t('webhook.remove')}
              </Button>
            )
          }
        >
          <TextInput
            label={t('webhook.url')}
            description={t(webhook === null ? urlHelp : 'webhook.replaceHelp')}
            {...form.getInputProps('url')}
            type="url"
            dir="ltr"
            maxLength={500}
            autoComplete="off"
            spellCheck={false}
            maw="46rem"
          />
        </Form>
      </Stack>
      <Confirm
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        title={t('webhook.remove')}
        action={t('webhook.remove')}
        isDangerous
        mutation={removal}
        onConfirm={() => removal.mutate()}
      >
        <Text>{t('webhook.removeMeans')}</Text>
      </Confirm>
    </SectionCard>
  )
}
