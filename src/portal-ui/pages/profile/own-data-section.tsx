import { Button, Stack, Text } from '@mantine/core'
import { useOwnData } from '../../api/profile.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { t } from '../../words.ts'
import { ProfileSection } from './profile-section.tsx'

/** Downloads everything that the portal knows about the developer. */
export function OwnDataSection() {
  const own = useOwnData()
  return (
    <ProfileSection title={t('profile.data')} lead={t('profile.dataLead')}>
      <Stack gap="md" align="flex-start">
        <Button
          variant="default"
          loading={own.isPending}
          onClick={() => own.mutate(undefined, { onSuccess: saveAsFile })}
        >
          {t('profile.dataDownload')}
        </Button>
        <ProblemAlert error={own.error} />
        <Text size="sm" role="status" c="green">
          {own.isSuccess ? t('profile.dataDownloaded') : ''}
        </Text>
      </Stack>
    </ProfileSection>
  )
}

function saveAsFile(data: object): void {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(data, undefined, 1)], { type: 'application/json' }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = `my-data-${new Date().toISOString().slice(0, 10)}.json`
  link.click()
  // The browser reads the file after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
