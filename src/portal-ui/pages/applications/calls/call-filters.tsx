import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRef, useState } from 'react'
import { useKeys } from '../../../api/applications.ts'
import type { CallFilter } from '../../../calls/call-filter.ts'
import { focusFirstInvalid } from '../../../components/field-errors.ts'
import { nameAsText, t } from '../../../words.ts'
import { useSubscribedVersions } from '../subscribed-versions.ts'
import classes from './calls.module.css'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const statuses = ['2xx', '3xx', '4xx', '429', '5xx'] as const
const outcomes = ['forwarded', 'refused', 'cut', 'aborted'] as const

export interface CallFiltersProps {
  readonly applicationId: string
  readonly filter: CallFilter
  readonly onFilter: (filter: CallFilter) => void
  /** Called with a request id that was typed. */
  readonly onLookUp: (requestId: string) => void
}

/** In one row: look a call up by its request id, and narrow the list; a phone shows the filters on request. */
export function CallFilters(props: CallFiltersProps) {
  const { applicationId, filter, onFilter, onLookUp } = props
  const [isOpen, setIsOpen] = useState(false)
  const count = Object.keys(filter).length
  const { versions = [] } = useSubscribedVersions(applicationId)
  const keys = useKeys(applicationId).data?.items ?? []
  const operations = new Map(
    versions.flatMap(({ operations }) =>
      operations.map(({ id, summary }) => [id, nameAsText(summary)]),
    ),
  )
  const choose = (name: keyof CallFilter, value: string) => {
    const { [name]: _, ...others } = filter
    onFilter(value === '' ? others : { ...others, [name]: value })
  }
  return (
    <div className={classes['filters']} data-open={isOpen || undefined}>
      <LookUp onLookUp={onLookUp} />
      <Button
        variant="default"
        size="sm"
        className={classes['filterToggle'] ?? ''}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {t('calls.filter', { count })}
      </Button>
      <Choice
        label={t('calls.status')}
        all={t('calls.anyStatus')}
        value={filter.status}
        onChange={(value) => choose('status', value)}
        choices={statuses.map((status) => [status, status])}
      />
      <Choice
        label={t('calls.outcome')}
        all={t('calls.anyOutcome')}
        value={filter.outcome}
        onChange={(value) => choose('outcome', value)}
        choices={outcomes.map((outcome) => [outcome, t(`calls.outcome.${outcome}`)])}
      />
      <Choice
        label={t('calls.operation')}
        all={t('calls.anyOperation')}
        value={filter.operation}
        onChange={(value) => choose('operation', value)}
        choices={[...operations]}
      />
      {keys.length < 2 ? null : (
        <Choice
          label={t('calls.key')}
          all={t('calls.anyKey')}
          value={filter.keyId}
          onChange={(value) => choose('keyId', value)}
          choices={keys.map(({ id, name }) => [id, nameAsText(name)])}
        />
      )}
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  /** The value for no choice. */
  readonly all: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
  /** Values with their names. */
  readonly choices: readonly (readonly [string, string])[]
}

function Choice({ label, all, value = '', onChange, choices }: ChoiceProps) {
  return (
    <NativeSelect
      aria-label={label}
      size="sm"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      className={classes['choice'] ?? ''}
      data={[{ value: '', label: all }, ...choices.map(([value, label]) => ({ value, label }))]}
    />
  )
}

function LookUp({ onLookUp }: Pick<CallFiltersProps, 'onLookUp'>) {
  const element = useRef<HTMLFormElement>(null)
  const form = useForm({
    initialValues: { requestId: '' },
    validate: {
      requestId: (typed) => (uuid.test(plain(typed)) ? null : t('calls.notAnId')),
    },
  })
  return (
    <form
      ref={element}
      noValidate
      onSubmit={form.onSubmit(
        ({ requestId }) => onLookUp(plain(requestId)),
        () => focusFirstInvalid(element.current),
      )}
      className={classes['lookUp']}
    >
      <TextInput
        aria-label={t('calls.requestId')}
        placeholder={t('calls.requestId')}
        size="sm"
        dir="ltr"
        {...form.getInputProps('requestId')}
        autoComplete="off"
        spellCheck={false}
        className={classes['requestId'] ?? ''}
      />
      <Button type="submit" size="sm" variant="default">
        {t('calls.lookUp')}
      </Button>
    </form>
  )
}

/** Removes what may precede a UUID. */
function plain(typed: string): string {
  return typed.trim().replace(/^urn:uuid:/i, '')
}
