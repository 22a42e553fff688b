import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { sampleLanguages } from '../../../gateway/portal/samples/sample-languages.ts'
import type { CallDraft } from '../../calls/call-draft.ts'
import { sampleOfDraft } from '../../calls/sample-of-draft.ts'
import { CopyLine } from '../../components/copy-line.tsx'
import { useFacts } from '../../facts.tsx'

/** The call as source code to copy, without the key. */
export function CallCode({ draft }: { readonly draft: CallDraft }) {
  const { gatewayUrl } = useFacts()
  const [chosen, setChosen] = useState<string>()
  const language = sampleLanguages.find(({ lang }) => lang === chosen) ?? sampleLanguages[0]
  const key = { variable: 'API_KEY' }
  const sample = sampleOfDraft({ gatewayUrl, draft, key, requestId: { fresh: 'uuid' } })
  if (language === undefined) return null
  return (
    <Stack gap="sm" align="stretch">
      <SegmentedControl
        aria-label="Language"
        value={language.lang}
        onChange={setChosen}
        data={sampleLanguages.map(({ lang, label }) => ({ value: lang, label }))}
        w="fit-content"
        maw="100%"
      />
      {sample === undefined ? (
        <Text>The code appears as soon as the body is valid JSON.</Text>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            Set the environment variable API_KEY to your key.
          </Text>
          <CopyLine text={language.write(sample)} label={`${language.label} code`} />
        </>
      )}
    </Stack>
  )
}
