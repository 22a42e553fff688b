import { Text } from '@mantine/core'
import { useState } from 'react'
import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { useApis } from '../../../api/catalogue.ts'
import { useDocument } from '../../../api/document.ts'
import { draftCall } from '../../../calls/call-draft.ts'
import { callShape } from '../../../calls/call-shape.ts'
import { QueryState } from '../../../components/query-state.tsx'
import { publishedVersion } from '../../../published.ts'
import { t } from '../../../words.ts'
import { CallCode } from '../try/call-code.tsx'

/** The operation of a call as source code, with curl first; nothing once it is no longer published. */
export function CallAsCode({ record }: { readonly record: CallRecord }) {
  const { api, version, operation } = record
  const [isOpen, setIsOpen] = useState(false)
  const { data: apis } = useApis()
  const published =
    api === null || version === null ? undefined : publishedVersion(apis, { api, version })
  const called = published?.operations.find(({ id }) => id === operation)
  const named = api === null || published === undefined ? undefined : { ...published, api }
  const document = useDocument(isOpen ? named : undefined, called?.id)
  if (called === undefined) return null
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t('story.asCode')}</summary>
      {isOpen ? <QueryState query={document} /> : null}
      {document.data === undefined ? null : (
        <>
          <Text size="sm" c="dimmed" mt="xs">
            {t('story.asCodeValues')}
          </Text>
          <CallCode draft={draftCall(callShape(document.data, called))} />
        </>
      )}
    </details>
  )
}
