import { Button, Paper, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useLocation } from 'wouter'
import type { PublishedApis } from '../../../../portal/api/schemas/catalogue.ts'
import {
  type FirstApplication as Made,
  useApplicationCreation,
  useFirstApplication,
} from '../../../api/applications.ts'
import { accountsOperation } from '../../../calls/read-accounts.ts'
import { Form } from '../../../components/form.tsx'
import { useFacts } from '../../../facts.tsx'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'
import { ApplicationNameField } from '../application-name-field.tsx'
import classes from '../applications.module.css'
import { askToRead, handKey, handProblem } from '../keys/handed-key.ts'
import { openVersions, VersionFields } from './version-fields.tsx'

export interface FirstApplicationProps {
  readonly apis: PublishedApis
}

/** The form that makes a first application, subscribes it and gets its key, then reads a customer's accounts. */
export function FirstApplication({ apis }: FirstApplicationProps) {
  const open = openVersions(apis, [])
  const form = useForm({
    initialValues: { name: t('createApplication.firstName'), version: '', plan: '' },
  })
  const { hasSandbox } = useFacts()
  const [, navigate] = useLocation()
  const version = open.find(({ name }) => name === form.values.version) ?? open[0]
  const plan = version?.plans.find(({ name }) => name === form.values.plan) ?? version?.plans[0]
  const canRead =
    hasSandbox && version !== undefined && accountsOperation(version.operations) !== undefined

  const made = useFirstApplication(({ application, key }: Made) => {
    if (key instanceof Error) {
      handProblem({ applicationId: application.id, problem: key })
      navigate(tabPath(application.id, 'subscriptions'))
      return
    }
    handKey({ applicationId: application.id, issued: key })
    if (canRead) askToRead(key.id)
    navigate(tabPath(application.id, 'keys'))
  })
  const bare = useApplicationCreation(({ id }) => navigate(tabPath(id, 'subscriptions')))
  const createBare = () => bare.mutate({ name: form.getValues().name })

  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Form
        form={form}
        mutation={bare.error === null ? made : bare}
        onSubmit={({ name }) => {
          if (version === undefined || plan === undefined) return createBare()
          const subscription = { api: version.api, version: version.version, plan: plan.name }
          made.mutate({ name, subscription, keyName: t('keys.suggested', { number: 1 }) })
        }}
        action={t(
          version === undefined
            ? 'applications.create'
            : canRead
              ? 'createApplication.andRead'
              : 'createApplication.andKey',
        )}
        beside={
          version === undefined ? null : (
            <Button
              variant="subtle"
              onClick={createBare}
              loading={bare.isPending}
              disabled={made.isPending}
            >
              {t('createApplication.only')}
            </Button>
          )
        }
      >
        <div>
          <Title order={2}>{t('createApplication.first')}</Title>
          <Text c="dimmed" mt={4} maw="44rem">
            {t(canRead ? 'createApplication.getsAndReads' : 'createApplication.gets')}
          </Text>
        </div>
        <ApplicationNameField {...form.getInputProps('name')} />
        {version === undefined ? null : (
          <VersionFields open={open} version={version} plan={plan} onChange={form.setValues} />
        )}
      </Form>
    </Paper>
  )
}
