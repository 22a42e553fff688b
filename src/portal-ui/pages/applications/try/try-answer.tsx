import { Alert, Anchor, Group, Progress, Stack, Table, Text, Title } from '@mantine/core'
import type { CallShape } from '../../../calls/call-shape.ts'
import {
  isApprovalPage,
  linkedCall,
  type NextCall,
  type WaysOn as Ways,
} from '../../../calls/next-calls.ts'
import { isJson, problemIn, readableBody } from '../../../calls/readable-body.ts'
import type { CallAnswer } from '../../../calls/send-call.ts'
import { CodeBlock } from '../../../components/code-block.tsx'
import { Message } from '../../../components/message.tsx'
import { Pill } from '../../../components/pill.tsx'
import { toneOf } from '../../../components/status-code.tsx'
import { useFacts } from '../../../facts.tsx'
import { durationInWords, milliseconds, wholeNumber } from '../../../in-words.ts'
import { t, words } from '../../../words.ts'
import classes from '../applications.module.css'
import { JsonText } from '../calls/json-text.tsx'
import { ProblemDetail } from '../calls/problem-detail.tsx'
import { ProblemTitle } from '../calls/problem-title.tsx'
import playground from './playground.module.css'
import { WaysOn } from './ways-on.tsx'

export interface TryAnswerProps {
  readonly answer: CallAnswer | undefined
  readonly isSending: boolean
  readonly ways: Ways | undefined
  /** All operations of the version: links to them can be followed. */
  readonly shapes: readonly CallShape[]
  /** The call that the customer’s approval made possible. */
  readonly approvedCall: NextCall | undefined
  readonly onFollow: (call: NextCall) => void
}

/** Shows the response: announces it in one line, with headers and body as plain text that never runs. */
export function TryAnswer(props: TryAnswerProps) {
  const { answer, isSending, ways, shapes, approvedCall, onFollow } = props
  return (
    <Stack gap="md" aria-busy={isSending}>
      <div role="status" className={classes['status']}>
        {answer === undefined ? null : <Outcome answer={answer} />}
      </div>
      {answer === undefined ? (
        <div>
          <Title order={2} size="h3">
            {t('answer.title')}
          </Title>
          <Text c="dimmed">{t('answer.notYet')}</Text>
        </div>
      ) : null}
      {ways === undefined ? null : (
        <WaysOn ways={ways} approvedCall={approvedCall} onFollow={onFollow} />
      )}
      {answer?.kind === 'answered' ? (
        <Content answer={answer} shapes={shapes} onFollow={onFollow} />
      ) : null}
    </Stack>
  )
}

type Answered = Extract<CallAnswer, { kind: 'answered' }>

function Outcome({ answer }: { readonly answer: CallAnswer }) {
  const { gatewayUrl } = useFacts()
  if (answer.kind === 'unsendable') {
    return (
      <Alert color="red" title={t('answer.unsendable')}>
        {t('answer.unsendableMeans')}
      </Alert>
    )
  }
  if (answer.kind === 'unreachable') {
    return (
      <Alert color="red" title={t('answer.unreachable')}>
        <Message id="answer.unreachableMeans" values={{ url: <bdi>{gatewayUrl}</bdi> }} />
      </Alert>
    )
  }
  if (answer.kind === 'brokenOff') {
    return (
      <Alert color="red" title={t('answer.brokenOff')}>
        {t('answer.brokenOffMeans', { status: String(answer.status) })}
      </Alert>
    )
  }
  const problem = problemIn(answer, words())
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Title order={2} size="h3">
          {t('answer.title')}
        </Title>
        <Pill tone={toneOf(answer.status)}>
          <bdi>
            {answer.status} {answer.statusText}
          </bdi>
        </Pill>
        <Text size="sm" c="dimmed" className={classes['numbers'] ?? ''}>
          {milliseconds(answer.ms)}
        </Text>
      </Group>
      <Limit answer={answer} />
      {problem === undefined ? null : (
        <Alert color="amber" title={<ProblemTitle {...problem} />}>
          <ProblemDetail {...problem} />{' '}
          {problem.code === undefined ? null : (
            <Anchor href={`/problems/${problem.code}`} inherit underline="always">
              {t('answer.whatCodeMeans', { code: problem.code })}
            </Anchor>
          )}
        </Alert>
      )}
    </Stack>
  )
}

function Limit({ answer }: { readonly answer: Answered }) {
  const header = (name: string) => answer.headers.find(([each]) => each === name)?.[1]
  const limit = Number(header('x-ratelimit-limit') ?? Number.NaN)
  const remaining = Number(header('x-ratelimit-remaining') ?? Number.NaN)
  const reset = header('x-ratelimit-reset')
  if (Number.isNaN(limit) || Number.isNaN(remaining)) return null
  const share = (100 * (limit - remaining)) / Math.max(1, limit)
  return (
    <div>
      <Progress
        value={share}
        size={6}
        mb={6}
        color={remaining === 0 ? 'red' : share >= 80 ? 'amber' : 'tide'}
        aria-hidden="true"
      />
      <Text size="sm">
        {reset === undefined
          ? t('answer.left', { remaining, limit })
          : t('answer.leftUntil', {
              remaining,
              limit,
              duration: durationInWords(Number(reset)),
            })}
      </Text>
    </div>
  )
}

interface ContentProps extends Pick<TryAnswerProps, 'shapes' | 'onFollow'> {
  readonly answer: Answered
}

function Content({ answer, shapes, onFollow }: ContentProps) {
  const { text, cutAt } = readableBody(answer)
  const isColoured = isJson(answer.mediaType)
  const linkOf = (relation: string, href: string, shown: string) => {
    if (isApprovalPage(relation, href)) {
      return (
        <a href={href} target="_blank" rel="noreferrer" className={playground['link']}>
          {shown}
        </a>
      )
    }
    const call = linkedCall(relation, href, shapes)
    if (call === undefined) return undefined
    return (
      <button
        type="button"
        className={playground['link']}
        title={t('playground.follow', { call: call.shape.summary })}
        onClick={() => onFollow(call)}
      >
        {shown}
      </button>
    )
  }
  return (
    <>
      {answer.body === '' ? (
        <Text>{t('answer.emptyBody')}</Text>
      ) : (
        <div>
          {cutAt === undefined ? null : (
            <Text size="sm" c="dimmed" mb={4}>
              {t('answer.cut', {
                length: wholeNumber(answer.body.length),
                shown: wholeNumber(cutAt),
              })}
            </Text>
          )}
          <CodeBlock
            source={cutAt === undefined ? text : answer.body}
            label={t('answer.bodyRegion')}
            top={
              isColoured
                ? t('answer.body')
                : t('answer.bodyOfType', { type: answer.mediaType || t('answer.unknownType') })
            }
            isWrapped
          >
            {isColoured ? <JsonText text={text} linkOf={linkOf} /> : text}
          </CodeBlock>
        </div>
      )}
      <details className={classes['details']}>
        <summary>{t('answer.headers', { count: answer.headers.length })}</summary>
        <Table mt="xs" className={classes['headers'] ?? ''}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('field.name')}</Table.Th>
              <Table.Th scope="col">{t('answer.value')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {answer.headers.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400}>
                  <bdi>{name}</bdi>
                </Table.Th>
                <Table.Td>
                  <bdi>{value}</bdi>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
    </>
  )
}
