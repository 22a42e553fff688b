import { curlSample } from '../../gateway/portal/samples/curl-sample.ts'
import type { CallDraft } from '../calls/call-draft.ts'
import { sampleOfDraft } from '../calls/sample-of-draft.ts'
import { useFacts } from '../facts.tsx'
import { CopyLine } from './copy-line.tsx'

export interface DraftCommandProps {
  readonly draft: CallDraft
  /** The key itself: the command works as pasted. */
  readonly apiKey: string
  readonly label: string
}

/** A call as a shell command to copy. */
export function DraftCommand({ draft, apiKey, label }: DraftCommandProps) {
  const { gatewayUrl } = useFacts()
  const sample = sampleOfDraft({ gatewayUrl, draft, key: apiKey })
  return sample === undefined ? null : <CopyLine text={curlSample(sample)} label={label} />
}
