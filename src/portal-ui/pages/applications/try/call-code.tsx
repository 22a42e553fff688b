import { Stack, Text } from '@mantine/core'
import { sampleLanguages } from '../../../../portal/samples/sample-languages.ts'
import type { CallDraft } from '../../../calls/call-draft.ts'
import { sampleOfDraft } from '../../../calls/sample-of-draft.ts'
import { CodeTabs } from '../../../components/code-tabs.tsx'
import { useFacts } from '../../../facts.tsx'
import { t } from '../../../words.ts'

/** The call as source code to copy, without the key. */
export function CallCode({ draft }: { readonly draft: CallDraft }) {
  const { gatewayUrl } = useFacts()
  const key = { variable: 'API_KEY' }
  const sample = sampleOfDraft({ gatewayUrl, draft, key, requestId: { fresh: 'uuid' } })
  if (sample === undefined) return <Text size="sm">{t('playground.codeNeedsJson')}</Text>
  return (
    <Stack gap="xs" align="stretch" mt="xs">
      <Text size="sm" c="dimmed">
        {t('playground.codeKey')}
      </Text>
      <CodeTabs
        label={t('playground.code')}
        samples={sampleLanguages.map(({ label, write }) => ({ label, source: write(sample) }))}
      />
    </Stack>
  )
}
