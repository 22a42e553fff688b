import { Anchor, Table, Title } from '@mantine/core'
import type { PublishedApi } from '../../../gateway/portal/schemas/catalogue.ts'
import { DataTable } from '../../components/data-table.tsx'
import { LifecycleBadges } from '../../components/lifecycle-badges.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { wholeNumber } from '../../in-words.ts'
import { documentPath, versionPath } from '../../published.ts'
import { t } from '../../words.ts'
import classes from './landing.module.css'

/** Every version of every API with its lifecycle, newest first. */
export function VersionTable({ apis }: { readonly apis: readonly PublishedApi[] }) {
  return (
    <section aria-labelledby="versions" className={classes['section']}>
      <Title order={2} id="versions" className={classes['sectionTitle'] ?? ''}>
        {t('landing.versions')}
      </Title>
      <DataTable
        label={t('landing.versions')}
        columns={[
          { name: 'api', label: t('landing.api') },
          { name: 'version', label: t('landing.version') },
          { name: 'state', label: t('landing.state') },
          { name: 'operations', label: t('landing.operationsColumn'), isNumber: true },
          { name: 'links', label: t('landing.links') },
        ]}
      >
        {apis.flatMap(({ api, versions }) =>
          versions.toReversed().map((version) => (
            <Table.Tr key={`${api} ${version.version}`}>
              <Table.Td lang="en" dir="ltr" className={classes['apiTitle'] ?? ''}>
                {version.title}
              </Table.Td>
              <Table.Td>
                <bdi>
                  {api} {version.version}
                </bdi>
              </Table.Td>
              <Table.Td>
                <LifecycleBadges version={version} />
              </Table.Td>
              <Table.Td data-number>{wholeNumber(version.operations.length)}</Table.Td>
              <Table.Td>
                <span className={classes['rowLinks']}>
                  <TextLink
                    href={versionPath(api, version.version)}
                    aria-label={t('landing.referenceOf', { name: `${api} ${version.version}` })}
                  >
                    {t('landing.reference')}
                  </TextLink>
                  <Anchor
                    href={documentPath(api, version.version)}
                    underline="always"
                    download={`${api}-${version.version}.json`}
                    aria-label={t('landing.openApiOf', { name: `${api} ${version.version}` })}
                  >
                    {t('landing.openApi')}
                  </Anchor>
                </span>
              </Table.Td>
            </Table.Tr>
          )),
        )}
      </DataTable>
    </section>
  )
}
