import { curlSample } from '../../portal/samples/curl-sample.ts'
import { sampleLanguages } from '../../portal/samples/sample-languages.ts'
import type { CallDraft } from '../calls/call-draft.ts'
import { sampleOfDraft } from '../calls/sample-of-draft.ts'
import { useFacts } from '../facts.tsx'
import { CodeTabs } from './code-tabs.tsx'

export interface DraftCodeProps {
  readonly draft: CallDraft
  /** The key itself: the code works as pasted. */
  readonly apiKey: string
  readonly label: string
}

/** A call as source code to copy, with the key. */
export function DraftCode({ draft, apiKey, label }: DraftCodeProps) {
  const { gatewayUrl } = useFacts()
  const once = sampleOfDraft({ gatewayUrl, draft, key: apiKey })
  const often = sampleOfDraft({ gatewayUrl, draft, key: apiKey, requestId: { fresh: 'uuid' } })
  if (once === undefined || often === undefined) return null
  return (
    <CodeTabs
      label={label}
      samples={sampleLanguages.map(({ label, write }) => ({
        label,
        // Not every shell has a command that makes identifiers.
        source: write(write === curlSample ? once : often),
      }))}
    />
  )
}
