import { Anchor, Code, Stack, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import type { PublishedVersion } from '../../../gateway/portal/schemas/catalogue.ts'
import { useDocument } from '../../api/document.ts'
import { draftCall } from '../../calls/call-draft.ts'
import { curlLine } from '../../calls/curl-line.ts'
import { firstCalls } from '../../calls/first-calls.ts'
import { CopyLine } from '../../components/copy-line.tsx'
import { useFacts } from '../../facts.tsx'

export interface HowToCallProps {
  readonly api: string
  readonly version: PublishedVersion
}

/** How a call of this version looks, as a command, and what its answer tells about the limit. */
export function HowToCall({ api, version }: HowToCallProps) {
  const { gatewayUrl } = useFacts()
  const document = useDocument({ api, version: version.version })
  const command = useMemo(() => {
    if (document.data === undefined) return undefined
    const [simplest] = firstCalls(document.data, version.operations)
    return (
      simplest && { shape: simplest, text: curlLine(gatewayUrl, draftCall(simplest), 'YOUR-KEY') }
    )
  }, [document.data, version, gatewayUrl])
  return (
    <Stack gap="sm" component="section" aria-labelledby="how-to-call">
      <Title order={2} size="h3" id="how-to-call">
        How to call it
      </Title>
      <Text maw="44rem">
        The gateway is at <Code>{gatewayUrl}</Code>. Every call carries its key in{' '}
        <Code>X-API-Key</Code> and a new UUID in <Code>X-Request-ID</Code>, by which you can look
        the call up later.
      </Text>
      {command === undefined ? null : (
        <>
          <Text size="sm" c="dimmed">
            {command.shape.summary}:
          </Text>
          <CopyLine text={command.text} label="command" />
        </>
      )}
      <Text maw="44rem">
        Each answer says in <Code>RateLimit</Code> what is left of the limit and after how many
        seconds it starts anew. A refused call is answered with a problem (
        <Code>application/problem+json</Code>) whose <Code>type</Code> leads to its explanation,
        such as{' '}
        <Anchor href="/problems/QUOTA_EXCEEDED" underline="always">
          QUOTA_EXCEEDED
        </Anchor>
        .
      </Text>
    </Stack>
  )
}
