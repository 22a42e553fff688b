import { Anchor, Code, Stack, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import type { PublishedVersion } from '../../../gateway/portal/schemas/catalogue.ts'
import { useDocument } from '../../api/document.ts'
import { draftCall } from '../../calls/call-draft.ts'
import { callShape } from '../../calls/call-shape.ts'
import { firstCalls } from '../../calls/first-calls.ts'
import { DraftCommand } from '../../components/draft-command.tsx'
import { useFacts } from '../../facts.tsx'

export interface HowToCallProps {
  readonly api: string
  readonly version: PublishedVersion
}

/** Shows a call of this version as a command, and what its response says about the limit. */
export function HowToCall({ api, version }: HowToCallProps) {
  const { gatewayUrl } = useFacts()
  const document = useDocument({ api, version: version.version })
  const draft = useMemo(() => {
    if (document.data === undefined) return undefined
    const [simplest] = firstCalls(version.operations.map((each) => callShape(document.data, each)))
    return simplest && draftCall(simplest)
  }, [document.data, version])
  return (
    <Stack gap="sm" component="section" aria-labelledby="how-to-call">
      <Title order={2} size="h3" id="how-to-call">
        How to call it
      </Title>
      <Text maw="44rem">
        The gateway is at <Code>{gatewayUrl}</Code>. Send your key in <Code>X-API-Key</Code> and a
        new UUID in <Code>X-Request-ID</Code> with every call. You can look the call up later by
        that UUID.
      </Text>
      {draft === undefined ? null : (
        <>
          <Text size="sm" c="dimmed">
            {draft.shape.summary}:
          </Text>
          <DraftCommand draft={draft} apiKey="YOUR-KEY" label="command" />
        </>
      )}
      <Text maw="44rem">
        The header <Code>RateLimit</Code> of each response tells you how many calls you have left
        and in how many seconds the limit resets. A refused call gets a problem document (
        <Code>application/problem+json</Code>) whose <Code>type</Code> links to an explanation, for
        example{' '}
        <Anchor href="/problems/QUOTA_EXCEEDED" underline="always">
          QUOTA_EXCEEDED
        </Anchor>
        .
      </Text>
    </Stack>
  )
}
