import { NativeSelect, Text } from '@mantine/core'
import type { Subscription } from '../../../../portal/api/schemas/applications.ts'
import type { PublishedApis, PublishedPlan } from '../../../../portal/api/schemas/catalogue.ts'
import { DocumentText } from '../../../components/document-text.tsx'
import { t } from '../../../words.ts'
import { PlanChoice } from '../plan-choice.tsx'
import { versionName } from '../subscribed-versions.ts'

type OpenVersion = ReturnType<typeof openVersions>[number]

export interface VersionFieldsProps {
  readonly open: readonly OpenVersion[]
  readonly version: OpenVersion
  readonly plan: PublishedPlan | undefined
  readonly onChange: (chosen: { version: string; plan: string }) => void
}

/** The choice of an API version, then of one of its plans. */
export function VersionFields({ open, version, plan, onChange }: VersionFieldsProps) {
  const { lifecycle } = version
  return (
    <>
      <NativeSelect
        label={t('plans.version')}
        value={version.name}
        onChange={(event) => onChange({ version: event.currentTarget.value, plan: '' })}
        data={open.map((each) => ({ value: each.name, label: versionName(each) }))}
        maw="30rem"
      />
      <Text size="sm" c="dimmed" maw="44rem">
        <DocumentText text={version.summary} />
      </Text>
      {version.isDeprecated ? (
        <Text size="sm">
          {lifecycle.successor === undefined
            ? t('subscriptions.deprecated')
            : t('subscriptions.deprecatedPrefer', { successor: lifecycle.successor })}
        </Text>
      ) : null}
      <PlanChoice
        plans={version.plans}
        value={plan?.name ?? ''}
        onChange={(name) => onChange({ version: version.name, plan: name })}
      />
    </>
  )
}

/** Versions open to a subscription: deprecated ones last, then those of the largest API first, newest first. */
export function openVersions({ items }: PublishedApis, active: readonly Subscription[]) {
  return items
    .flatMap(({ api, versions }) =>
      versions
        .toReversed()
        .map((version) => ({ ...version, api, name: `${api}@${version.version}` })),
    )
    .filter(({ isRetired, plans }) => !isRetired && plans.length > 0)
    .filter(
      ({ api, version }) => !active.some((each) => each.api === api && each.version === version),
    )
    .toSorted(
      (a, b) =>
        Number(a.isDeprecated) - Number(b.isDeprecated) ||
        b.operations.length - a.operations.length,
    )
}
