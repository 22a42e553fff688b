import { NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { PublishedLimit } from '../../../../portal/api/schemas/catalogue.ts'
import { isProblem } from '../../../api/client.ts'
import { useAskForCalls } from '../../../api/limit-requests.ts'
import { CallsField, callsIn } from '../../../components/calls-field.tsx'
import { fieldErrors } from '../../../components/field-errors.ts'
import { filled } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { dayIn, endOfDayIn, usualDays } from '../../../local-moment.ts'
import { problemSentence } from '../../../problem-words.ts'
import { nameAsText, t } from '../../../words.ts'
import { suggestedCalls } from './suggested-calls.ts'

/** A limit of a subscription. */
export interface Choice {
  readonly api: string
  readonly version: string
  readonly limit: string
  readonly title: string
  /** What it allows. */
  readonly inWords: string
  /** Calls that it allows. */
  readonly calls: number
  /** What follows "calls per". */
  readonly window: string
  readonly scope: PublishedLimit['scope']
}

export interface AskDialogProps {
  readonly applicationId: string
  readonly choices: readonly Choice[]
  readonly opened: boolean
  readonly onClose: () => void
}

/** Asks the operator for more calls. */
export function AskDialog({ applicationId, choices, opened, onClose }: AskDialogProps) {
  const [first] = choices
  const form = useForm({
    initialValues: {
      limit: first === undefined ? '' : optionOf(first),
      calls: suggestedCalls(first?.calls),
      until: dayIn(usualDays),
      reason: '',
    },
    validate: { calls: filled(), until: dayFilled, reason: filled() },
  })
  const asking = useAskForCalls(applicationId, close)
  const choice = choices.find((each) => optionOf(each) === form.values.limit) ?? first

  function close(): void {
    form.reset()
    onClose()
  }

  return (
    <FormDialog
      opened={opened}
      title={t('moreCalls.title')}
      form={form}
      mutation={asking}
      onSubmit={({ calls, until, reason }) => {
        if (choice === undefined) return
        const { api, version, limit } = choice
        const wantedUntil = endOfDayIn(until)
        asking.mutate({ api, version, limit, calls: callsIn(calls), wantedUntil, reason })
      }}
      errorsOf={errorsOf}
      action={t('moreCalls.send')}
      onCancel={() => {
        asking.reset()
        close()
      }}
    >
      <Text size="sm">{t('moreCalls.means')}</Text>
      <NativeSelect
        label={t('moreCalls.limit')}
        {...form.getInputProps('limit')}
        value={choice === undefined ? '' : optionOf(choice)}
        onChange={({ currentTarget: { value } }) => {
          const next = choices.find((each) => optionOf(each) === value)
          const isUnchanged = form.values.calls === suggestedCalls(choice?.calls)
          form.setFieldValue('limit', value)
          if (isUnchanged) form.setFieldValue('calls', suggestedCalls(next?.calls))
        }}
        data={choices.map((each) => ({
          value: optionOf(each),
          label: `${nameAsText(each.title)}: ${each.inWords}`,
        }))}
      />
      <CallsField
        label={t('moreCalls.calls', {
          window: choice?.window ?? '',
          scope: choice?.scope ?? 'operation',
        })}
        {...form.getInputProps('calls')}
      />
      <TextInput
        label={t('moreCalls.until')}
        type="date"
        min={dayIn(0)}
        max="9999-12-31"
        required
        {...form.getInputProps('until')}
      />
      <Textarea
        label={t('moreCalls.reason')}
        description={t('moreCalls.reasonHelp')}
        maxLength={500}
        required
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  )
}

function dayFilled(day: string): string | null {
  return Number.isNaN(Date.parse(endOfDayIn(day))) ? t('keys.dayInvalid') : null
}

/** The value of a choice in the field. The list may change while the dialog is open. */
function optionOf({ api, version, limit }: Choice): string {
  return `${api} ${version} ${limit}`
}

/** The limit field stands for the API, the version and the limit, so it shows their errors and a conflict. */
function errorsOf(error: Error): Record<string, string | undefined> {
  if (isProblem(error, 'CONFLICT')) return { limit: problemSentence(error.problem) }
  const {
    api,
    version,
    limit = api ?? version,
    wantedUntil,
    ...others
  } = fieldErrors(error, fields)
  return { limit, until: wantedUntil, ...others }
}

const fields = ['api', 'version', 'limit', 'calls', 'wantedUntil', 'reason'] as const
