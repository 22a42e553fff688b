import { Button, Menu } from '@mantine/core'
import { Link } from 'wouter'
import type { Application } from '../../portal/api/schemas/applications.ts'
import type { PublishedPlan, PublishedVersion } from '../../portal/api/schemas/catalogue.ts'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { useApplications, useSubscribing, useSubscriptions } from '../api/applications.ts'
import { ProblemAlert } from '../components/problem-alert.tsx'
import { tabPath } from '../tab-path.ts'
import { t } from '../words.ts'
import classes from './reference.module.css'

export interface SubscribeVersionProps {
  readonly api: string
  readonly version: PublishedVersion
}

/** Subscribes one of the reader's own applications. */
export function OwnApplications({ api, version }: SubscribeVersionProps) {
  const { data } = useApplications()
  const [first, second] = data?.items ?? []
  const [plan, otherPlan] = version.plans
  if (data === undefined) return null
  if (first === undefined) {
    return (
      <Button component={Link} href={pagePaths.applications}>
        {t('reference.createApplication')}
      </Button>
    )
  }
  if (second === undefined && plan !== undefined && otherPlan === undefined) {
    return <OneApplication application={first} api={api} version={version} plan={plan} />
  }
  return (
    <Menu width={280} closeOnItemClick={false}>
      <Menu.Target>
        <Button>{t('reference.subscribe')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('reference.subscribeWhich')}</Menu.Label>
        {data.items.map((application) => (
          <ApplicationItems
            key={application.id}
            application={application}
            api={api}
            version={version}
          />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface OneProps extends SubscribeVersionProps {
  readonly application: Application
}

function OneApplication(props: OneProps & { readonly plan: PublishedPlan }) {
  const { application, api, version, plan } = props
  const { id, name } = application
  const { data } = useSubscriptions(id)
  const subscribing = useSubscribing(id, () => undefined)
  const isSubscribed = data?.items.some(
    (each) => each.api === api && each.version === version.version,
  )
  if (isSubscribed === true) {
    return (
      <Button component={Link} href={tabPath(id, 'subscriptions')} variant="light" color="green">
        <span className={classes['subscribed']}>{t('reference.subscribed', { name })}</span>
      </Button>
    )
  }
  return (
    <>
      <Button
        loading={subscribing.isPending}
        disabled={data === undefined}
        onClick={() => subscribing.mutate({ api, version: version.version, plan: plan.name })}
      >
        {t('reference.subscribeOne', { name })}
      </Button>
      <ProblemAlert error={subscribing.error} />
    </>
  )
}

/** One for each plan, or that it is subscribed. */
function ApplicationItems({ application: { id, name }, api, version }: OneProps) {
  const { data } = useSubscriptions(id)
  const subscribing = useSubscribing(id, () => undefined)
  const active = data?.items.find((each) => each.api === api && each.version === version.version)
  if (active !== undefined) {
    return (
      <Menu.Item component={Link} href={tabPath(id, 'subscriptions')}>
        <span className={classes['subscribed']}>{t('reference.subscribed', { name })}</span>
      </Menu.Item>
    )
  }
  return (
    <>
      {version.plans.map((plan, _index, plans) => (
        <Menu.Item
          key={plan.name}
          disabled={data === undefined || subscribing.isPending}
          onClick={() => subscribing.mutate({ api, version: version.version, plan: plan.name })}
        >
          {plans.length === 1 ? (
            <bdi>{name}</bdi>
          ) : (
            t('reference.withPlan', { name, plan: plan.title })
          )}
        </Menu.Item>
      ))}
      <ProblemAlert error={subscribing.error} />
    </>
  )
}
