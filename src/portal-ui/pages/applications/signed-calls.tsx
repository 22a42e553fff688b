import { Checkbox, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { useApplicationUpdate } from '../../api/applications.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Message } from '../../components/message.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { SectionCard } from '../../components/section-card.tsx'
import { t } from '../../words.ts'

/** Chooses whether the bank accepts only signed calls of an application. Asks before it turns this on. */
export function SignedCalls({ application }: { readonly application: Application }) {
  const [isAsking, setIsAsking] = useState(false)
  const update = useApplicationUpdate(application.id, () => setIsAsking(false))
  const choose = (strict: boolean) => {
    update.reset()
    if (strict) setIsAsking(true)
    else update.mutate({ strict })
  }
  return (
    <SectionCard title={t('signed.title')}>
      <Stack gap="xs" maw="46rem">
        <Checkbox
          label={t('signed.only')}
          description={t('signed.help')}
          checked={application.strict}
          disabled={update.isPending}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
        {isAsking ? null : <ProblemAlert error={update.error} />}
        <Text size="sm" role="status" c="green">
          {update.isSuccess ? t('settings.saved') : ''}
        </Text>
        <Confirm
          opened={isAsking}
          onClose={() => setIsAsking(false)}
          title={t('signed.question')}
          action={t('signed.confirm')}
          isDangerous
          onConfirm={() => update.mutate({ strict: true })}
          mutation={update}
        >
          <Text>{t('signed.stops')}</Text>
          <List spacing={4}>
            <List.Item>
              <Message id="signed.stopsUnsigned" />
            </List.Item>
            <List.Item>{t('signed.stopsIncomplete')}</List.Item>
            <List.Item>{t('signed.stopsRedirect')}</List.Item>
          </List>
          <Text>{t('signed.canTurnOff')}</Text>
        </Confirm>
      </Stack>
    </SectionCard>
  )
}
