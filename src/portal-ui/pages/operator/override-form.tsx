import { Button, NativeSelect, Paper, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Subscription } from '../../../portal/api/schemas/applications.ts'
import type { PublishedApis, PublishedLimit } from '../../../portal/api/schemas/catalogue.ts'
import { useApis } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useOverrideCreation } from '../../api/operator.ts'
import { CallsField, callsIn } from '../../components/calls-field.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, filled } from '../../components/form.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { limitInWords } from '../../in-words.ts'
import { inDays, instantOf, usualDays } from '../../local-moment.ts'
import { problemSentence } from '../../problem-words.ts'
import { limitOfVersion, publishedVersion } from '../../published.ts'
import { nameAsText, t } from '../../words.ts'
import classes from './operator.module.css'
import { UntilField } from './until-field.tsx'

const fields = ['api', 'version', 'limit', 'calls', 'reason', 'expiresAt'] as const

interface Choice {
  readonly subscription: Subscription
  readonly limit: PublishedLimit
}

export interface OverrideFormProps {
  readonly applicationId: string
  /** The active subscriptions of the application, at least one. */
  readonly subscriptions: readonly Subscription[]
  readonly onDone: () => void
}

/** Replaces the number of calls of one limit of one subscription until a date. */
export function OverrideForm(props: OverrideFormProps) {
  const apis = useApis()
  if (apis.data === undefined) {
    return <QueryState query={apis} />
  }
  return <Fields {...props} apis={apis.data} choices={choicesOf(props.subscriptions, apis.data)} />
}

interface FieldsProps extends OverrideFormProps {
  readonly apis: PublishedApis
  readonly choices: readonly Choice[]
}

function Fields({ applicationId, apis, choices, onDone }: FieldsProps) {
  const [first] = choices
  const form = useForm({
    initialValues: {
      limit: first === undefined ? '' : optionOf(first),
      calls: '',
      reason: '',
      expiresAt: inDays(usualDays),
    },
    validate: { calls: filled(), reason: filled(), expiresAt: filled() },
  })
  const creation = useOverrideCreation(applicationId)
  const choice = choices.find((each) => optionOf(each) === form.values.limit) ?? first
  if (choice === undefined) {
    const cancel = (
      <Button variant="default" onClick={onDone}>
        {t('common.cancel')}
      </Button>
    )
    return (
      <EmptyState title={t('overrides.noLimit')} action={cancel}>
        {t('overrides.noLimitMeans')}
      </EmptyState>
    )
  }

  return (
    <Paper withBorder p="lg">
      <Form
        form={form}
        mutation={creation}
        onSubmit={({ calls, reason, expiresAt }) =>
          creation.mutate(
            {
              api: choice.subscription.api,
              version: choice.subscription.version,
              limit: choice.limit.name,
              calls: callsIn(calls),
              reason,
              expiresAt: instantOf(expiresAt),
            },
            { onSuccess: onDone },
          )
        }
        errorsOf={errorsOf}
        action={t('overrides.save')}
        onCancel={onDone}
      >
        <Title order={3}>{t('overrides.add')}</Title>
        <div className={classes['fields']}>
          <NativeSelect
            label={t('plans.limit')}
            description={t('overrides.limitHelp')}
            {...form.getInputProps('limit')}
            value={optionOf(choice)}
            data={choices.map((each) => ({
              value: optionOf(each),
              label: nameAsText(
                limitOfVersion(apis, { ...each.subscription, limit: each.limit.name }),
              ),
            }))}
          />
          <CallsField
            label={t('overview.calls')}
            description={t('overrides.planSays', { limit: limitInWords(choice.limit) })}
            {...form.getInputProps('calls')}
          />
          <UntilField
            {...form.getInputProps('expiresAt')}
            onPick={(local) => form.setFieldValue('expiresAt', local)}
          />
        </div>
        <TextInput
          label={t('plans.reason')}
          description={t('overrides.reasonHelp')}
          {...form.getInputProps('reason')}
          autoComplete="off"
          maxLength={500}
          required
        />
      </Form>
    </Paper>
  )
}

/**
 * The limit field stands for the API, the version and the limit, so it shows their errors and the conflict with an existing
 * override.
 */
function errorsOf(error: Error): Record<string, string | undefined> {
  if (isProblem(error, 'CONFLICT')) return { limit: problemSentence(error.problem) }
  const { api, version, limit = api ?? version, ...others } = fieldErrors(error, fields)
  return { limit, ...others }
}

/** The value of a choice in the field. The list may change while the form is open. */
function optionOf({ subscription, limit }: Choice): string {
  return `${subscription.id} ${limit.name}`
}

function choicesOf(subscriptions: readonly Subscription[], apis: PublishedApis): Choice[] {
  return subscriptions.flatMap((subscription) => {
    const plans = publishedVersion(apis, subscription)?.plans ?? []
    const limits = plans.find(({ name }) => name === subscription.plan)?.limits ?? []
    return limits.map((limit) => ({ subscription, limit }))
  })
}
