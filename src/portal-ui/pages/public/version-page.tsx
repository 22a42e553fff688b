import { NativeSelect } from '@mantine/core'
import { useEffect } from 'react'
import { useLocation, useParams } from 'wouter'
import type { PublishedApi, PublishedVersion } from '../../../portal/api/schemas/catalogue.ts'
import { versionTabs } from '../../../portal/pages/page-paths.ts'
import { useApis } from '../../api/catalogue.ts'
import { useDocument } from '../../api/document.ts'
import { DocumentText } from '../../components/document-text.tsx'
import { LifecycleBadges } from '../../components/lifecycle-badges.tsx'
import { MethodBadge } from '../../components/method-badge.tsx'
import { PartLinks } from '../../components/part-links.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { SideBar } from '../../layout/side-bar.tsx'
import { languageOfText } from '../../local-text.ts'
import {
  operationPath,
  tagTitle,
  type VersionTab,
  versionPath,
  versionTabPath,
} from '../../published.ts'
import classes from '../../reference/reference.module.css'
import { SubscribeVersion } from '../../reference/subscribe-version.tsx'
import { useFragment } from '../../reference/use-fragment.ts'
import { t } from '../../words.ts'
import { ChangesTab } from './changes-tab.tsx'
import { LifecycleNotice } from './lifecycle-notice.tsx'
import { PlanList } from './plan-list.tsx'
import { ReferenceTab } from './reference-tab.tsx'

/** One version of an API: its reference, what changed, its plans and its end, in one place. */
export function VersionPage() {
  const params = useParams<{ api: string; version: string; tab?: string }>()
  const apis = useApis()
  if (apis.data === undefined) {
    return (
      <Page title={`${params.api} ${params.version}`}>
        <QueryState query={apis} />
      </Page>
    )
  }
  const published = apis.data.items.find(({ api }) => api === params.api)
  const version = published?.versions.find((known) => known.version === params.version)
  const tab = versionTabs.find((known) => known === (params.tab ?? 'reference'))
  if (published === undefined || version === undefined || tab === undefined) return <NotFoundPage />
  return <Version published={published} version={version} tab={tab} />
}

/** For an item of the side bar. */
function inLanguage(text: string): { readonly language?: string } {
  const language = languageOfText(text)
  return language === undefined ? {} : { language }
}

interface VersionProps {
  readonly published: PublishedApi
  readonly version: PublishedVersion
  readonly tab: VersionTab
}

function Version({ published, version, tab }: VersionProps) {
  const { api } = published
  const name = version.version
  const fragment = useFragment()
  const shown = version.operations.find(
    (operation) => operationPath(api, name, operation) === `${versionPath(api, name)}${fragment}`,
  )
  const operation = tab === 'reference' ? shown : undefined
  // Any part also has what the document says about itself.
  const document = useDocument({ ...version, api }, operation?.id)
  const groups = Map.groupBy(version.operations, (each) => each.tag)
  // Another operation is another page to the reader.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one shows
  useEffect(() => {
    if (operation !== undefined) window.scrollTo(0, 0)
  }, [operation?.id])

  return (
    <SideBar
      label={t('reference.operations')}
      current={
        operation === undefined
          ? versionTabPath(api, name, tab)
          : operationPath(api, name, operation)
      }
      top={<VersionPicker published={published} current={name} tab={tab} />}
      items={[{ href: versionPath(api, name), label: t('reference.overview') }]}
      groups={[...groups].map(([tag, operations]) => ({
        title: tagTitle(version, tag),
        ...inLanguage(tagTitle(version, tag)),
        items: operations.map((each) => ({
          href: operationPath(api, name, each),
          label: each.summary,
          ...inLanguage(each.summary),
          end: <MethodBadge method={each.method} isPlain />,
        })),
      }))}
    >
      <Page
        width="inner"
        title={`${version.title} ${name}`}
        heading={
          <span className={classes['heading']} data-small={operation !== undefined || undefined}>
            <DocumentText text={version.title} />{' '}
            <span className={classes['tail']}>
              <span className={classes['version']}>{name}</span>
              <LifecycleBadges version={version} />
            </span>
          </span>
        }
        actions={
          <span className={operation === undefined ? '' : classes['roomy']}>
            <SubscribeVersion api={api} version={version} />
          </span>
        }
      >
        <LifecycleNotice api={api} version={version} />
        <PartLinks
          label={t('reference.parts')}
          parts={versionTabs.filter((each) => each !== 'changes' || published.versions.length > 1)}
          current={tab}
          titles={{
            reference: t('reference.reference'),
            changes: t('reference.changes'),
            plans: t('reference.plans'),
          }}
          path={(part) => versionTabPath(api, name, part)}
        />
        {tab === 'reference' ? (
          <ReferenceTab
            published={published}
            version={version}
            operation={operation}
            document={document}
          />
        ) : null}
        {tab === 'changes' ? <ChangesTab published={published} version={version} /> : null}
        {tab === 'plans' ? <PlanList plans={version.plans} /> : null}
      </Page>
    </SideBar>
  )
}

interface VersionPickerProps {
  readonly published: PublishedApi
  readonly current: string
  readonly tab: VersionTab
}

function VersionPicker({ published, current, tab }: VersionPickerProps) {
  const [, navigate] = useLocation()
  if (published.versions.length < 2) return null
  return (
    <NativeSelect
      size="sm"
      aria-label={t('reference.version')}
      value={current}
      data={published.versions.toReversed().map(({ version }) => ({
        value: version,
        label: t('reference.versionNumber', { version }),
      }))}
      onChange={(event) => navigate(versionTabPath(published.api, event.currentTarget.value, tab))}
    />
  )
}
