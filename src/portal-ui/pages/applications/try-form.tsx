import { Button, Code, Group, NativeSelect, Stack, Text, Textarea, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import { draftCall, idsIn, missingValues, valueKey } from '../../calls/call-draft.ts'
import {
  type CallParameter,
  type CallShape,
  isFromEarlierAnswer,
  requestIdHeader,
} from '../../calls/call-shape.ts'
import { type CallAnswer, sendCall } from '../../calls/send-call.ts'
import { focusFirstInvalid } from '../../components/field-errors.ts'
import { useFacts } from '../../facts.tsx'
import classes from './applications.module.css'
import { KeyField } from './key-field.tsx'
import type { PageMemory } from './page-memory.ts'
import { ParameterField } from './parameter-field.tsx'
import { TryAnswer } from './try-answer.tsx'

export interface TryFormProps {
  readonly shape: CallShape
  /** Of all operations of the version, to recognise links to them. */
  readonly paths: readonly string[]
  readonly memory: PageMemory
}

/** Fills in one call, sends it and shows the answer. */
export function TryForm({ shape, paths, memory }: TryFormProps) {
  const { gatewayUrl } = useFacts()
  const [draft, setDraft] = useState(() => draftCall(shape, memory.ids))
  const key = memory.triedKey ?? memory.keys[0]?.key ?? ''
  const [isChecked, setIsChecked] = useState(false)
  const [isSending, setIsSending] = useState(false)
  const [answer, setAnswer] = useState<CallAnswer>()
  const form = useRef<HTMLFormElement>(null)
  const missing = isChecked ? missingValues(draft) : []

  const setValue = (parameter: CallParameter, value: string) => {
    setDraft((old) => ({ ...old, values: { ...old.values, [valueKey(parameter)]: value } }))
  }

  const send = async () => {
    if (isSending) return
    setIsChecked(true)
    if (key.trim() === '' || missingValues(draft).length > 0) {
      focusFirstInvalid(form.current)
      return
    }
    setIsSending(true)
    const result = await sendCall({ gatewayUrl, draft, key: key.trim() })
    setAnswer(result)
    setIsSending(false)
    if (result.kind === 'answered') {
      memory.learn(idsIn(result.body, paths))
      // One identifier is one call.
      const fresh = { [`header ${requestIdHeader}`]: crypto.randomUUID() }
      setDraft((old) => ({ ...old, values: { ...old.values, ...fresh } }))
    }
  }

  const fields = (parameters: readonly CallParameter[]) =>
    parameters.map((parameter) => (
      <ParameterField
        key={valueKey(parameter)}
        parameter={parameter}
        value={draft.values[valueKey(parameter)] ?? ''}
        isMissing={missing.includes(parameter.name)}
        onChange={(value) => setValue(parameter, value)}
      />
    ))
  const needed = shape.parameters.filter(({ isRequired, place }) => isRequired || place === 'query')
  const optional = shape.parameters.filter((parameter) => !needed.includes(parameter))

  return (
    <Stack gap="lg">
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <Stack gap="md">
          <Text className={classes['wrap'] ?? ''}>
            <Code>{shape.method}</Code> <Code>{`${gatewayUrl}${shape.path}`}</Code>
          </Text>
          <KeyField
            keys={memory.keys}
            value={key}
            onChange={memory.tryWith}
            isMissing={isChecked && key.trim() === ''}
          />
          {needed.length === 0 ? null : <Title order={3}>Values</Title>}
          {shape.parameters.some(isFromEarlierAnswer) ? (
            <Text size="sm" c="dimmed">
              Ids come from the answers of other calls. What a call on this page answers is filled
              in by itself.
            </Text>
          ) : null}
          {fields(needed)}
          {optional.length === 0 ? null : (
            <details className={classes['details']}>
              <summary>Optional headers ({optional.length})</summary>
              <Stack gap="md" mt="sm">
                {fields(optional)}
              </Stack>
            </details>
          )}
          {shape.body === undefined ? null : (
            <Body
              shape={shape}
              value={draft.body}
              onChange={(body) => setDraft((old) => ({ ...old, body }))}
            />
          )}
          <Group>
            <Button type="submit" loading={isSending}>
              Send call
            </Button>
          </Group>
        </Stack>
      </form>
      <TryAnswer answer={answer} isSending={isSending} />
    </Stack>
  )
}

interface BodyProps {
  readonly shape: CallShape
  readonly value: string
  readonly onChange: (body: string) => void
}

function Body({ shape: { body }, value, onChange }: BodyProps) {
  const examples = body?.examples ?? []
  const chosen = examples.findIndex(({ text }) => text === value)
  return (
    <Stack gap="md">
      <Title order={3}>Body</Title>
      {examples.length < 2 ? null : (
        <NativeSelect
          label="Example"
          value={String(chosen)}
          onChange={(event) => onChange(examples[Number(event.currentTarget.value)]?.text ?? value)}
          data={[
            ...(chosen === -1 ? [{ value: '-1', label: 'My own' }] : []),
            ...examples.map(({ title }, at) => ({ value: String(at), label: title })),
          ]}
          maw="40rem"
        />
      )}
      <Textarea
        label={`Body (${body?.mediaType})`}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={20}
        spellCheck={false}
        classNames={{ input: classes['code'] ?? '' }}
      />
    </Stack>
  )
}
