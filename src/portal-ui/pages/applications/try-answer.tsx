import { Alert, Anchor, Badge, Code, Group, Stack, Table, Text, Title } from '@mantine/core'
import type { NextCall, WaysOn as Ways } from '../../calls/next-calls.ts'
import { isJson, problemIn, readableBody } from '../../calls/readable-body.ts'
import type { CallAnswer } from '../../calls/send-call.ts'
import { useFacts } from '../../facts.tsx'
import { durationInWords, milliseconds, wholeNumber } from '../../in-words.ts'
import classes from './applications.module.css'
import { WaysOn } from './ways-on.tsx'

export interface TryAnswerProps {
  readonly answer: CallAnswer | undefined
  readonly isSending: boolean
  readonly ways: Ways | undefined
  /** The call that the customer’s approval made possible. */
  readonly approvedCall: NextCall | undefined
  readonly onFollow: (call: NextCall) => void
}

/** Shows the response: announces it in one line, with headers and body as plain text that never runs. */
export function TryAnswer(props: TryAnswerProps) {
  const { answer, isSending, ways, approvedCall, onFollow } = props
  return (
    <Stack gap="md" aria-busy={isSending}>
      <div role="status" className={classes['status']}>
        {answer === undefined ? null : <Outcome answer={answer} />}
      </div>
      {answer === undefined ? (
        <div>
          <Title order={3}>Response</Title>
          <Text c="dimmed">It appears here as soon as you send the call.</Text>
        </div>
      ) : null}
      {ways === undefined ? null : (
        <WaysOn ways={ways} approvedCall={approvedCall} onFollow={onFollow} />
      )}
      {answer?.kind === 'answered' ? <Content answer={answer} /> : null}
    </Stack>
  )
}

type Answered = Extract<CallAnswer, { kind: 'answered' }>

function Outcome({ answer }: { readonly answer: CallAnswer }) {
  const { gatewayUrl } = useFacts()
  if (answer.kind === 'unsendable') {
    return (
      <Alert color="red" title="The browser cannot send this call">
        The key or a header value contains a character that headers must not contain, for example a
        line break.
      </Alert>
    )
  }
  if (answer.kind === 'unreachable') {
    return (
      <Alert color="red" title="The gateway sent no readable response">
        The gateway at <bdi>{gatewayUrl}</bdi> may be down, or it does not accept calls from this
        portal&apos;s address. This page cannot find out whether the call was made: look at the tab
        Calls.
      </Alert>
    )
  }
  const problem = problemIn(answer)
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Title order={3}>Response</Title>
        <Badge size="lg" color={statusColor(answer.status)}>
          {answer.status} {answer.statusText}
        </Badge>
        <Text className={classes['numbers'] ?? ''}>{milliseconds(answer.ms)}</Text>
      </Group>
      <Limit answer={answer} />
      {problem === undefined ? null : (
        <Alert color="amber" title={problem.title}>
          {problem.detail}{' '}
          {problem.code === undefined ? null : (
            <Anchor href={`/problems/${problem.code}`} inherit underline="always">
              What {problem.code} means
            </Anchor>
          )}
        </Alert>
      )}
    </Stack>
  )
}

function Limit({ answer }: { readonly answer: Answered }) {
  const header = (name: string) => answer.headers.find(([each]) => each === name)?.[1]
  const limit = header('x-ratelimit-limit')
  const remaining = header('x-ratelimit-remaining')
  const reset = header('x-ratelimit-reset')
  if (limit === undefined || remaining === undefined) return null
  return (
    <Text>
      {wholeNumber(Number(remaining))} of {wholeNumber(Number(limit))} calls left for this operation
      {reset === undefined ? null : `; resets in ${durationInWords(Number(reset))}`}.
    </Text>
  )
}

function Content({ answer }: { readonly answer: Answered }) {
  const { text, cutAt } = readableBody(answer)
  return (
    <>
      <details className={classes['details']}>
        <summary>Headers ({answer.headers.length})</summary>
        <Table mt="xs" className={classes['headers'] ?? ''}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Name</Table.Th>
              <Table.Th scope="col">Value</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {answer.headers.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400}>
                  {name}
                </Table.Th>
                <Table.Td>
                  <bdi>{value}</bdi>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
      {answer.body === '' ? (
        <Text>The response has no body.</Text>
      ) : (
        <div>
          <Text fw={500} mb={4}>
            Body{isJson(answer.mediaType) ? '' : ` (${answer.mediaType || 'unknown type'})`}
          </Text>
          {cutAt === undefined ? null : (
            <Text size="sm" c="dimmed" mb={4}>
              It has {wholeNumber(answer.body.length)} characters; the first {wholeNumber(cutAt)}{' '}
              show here.
            </Text>
          )}
          <Code
            block
            tabIndex={0}
            role="region"
            aria-label="Body of the response"
            className={classes['body'] ?? ''}
          >
            {text}
          </Code>
        </div>
      )}
    </>
  )
}

function statusColor(status: number): string {
  if (status < 300) return 'green'
  return status < 500 ? 'amber' : 'red'
}
