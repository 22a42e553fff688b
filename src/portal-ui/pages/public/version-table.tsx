import { Anchor, Box, Title } from '@mantine/core'
import type { PublishedApi, PublishedVersion } from '../../../portal/api/schemas/catalogue.ts'
import { DocumentText } from '../../components/document-text.tsx'
import { LifecycleBadges } from '../../components/lifecycle-badges.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { wholeNumber } from '../../in-words.ts'
import { documentPath, versionPath } from '../../published.ts'
import { nameAsText, t } from '../../words.ts'
import classes from './landing.module.css'

/** Every version of every API with its lifecycle, newest first. */
export function VersionTable({ apis }: { readonly apis: readonly PublishedApi[] }) {
  return (
    <div className={classes['section']}>
      <Title order={2} id="versions" className={classes['sectionTitle'] ?? ''}>
        {t('landing.versions')}
      </Title>
      {/* It scrolls, so the keyboard must reach it. */}
      <Box
        tabIndex={0}
        role="region"
        aria-labelledby="versions"
        className={classes['scroll'] ?? ''}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{t('landing.api')}</th>
              <th scope="col">{t('landing.version')}</th>
              <th scope="col">{t('landing.state')}</th>
              <th scope="col">{t('landing.operationsColumn')}</th>
              <th scope="col">{t('landing.links')}</th>
            </tr>
          </thead>
          <tbody>
            {apis.flatMap(({ api, versions }) =>
              versions.toReversed().map((version) => (
                <tr key={`${api} ${version.version}`}>
                  <td className={classes['apiTitle']}>
                    <DocumentText text={version.title} />
                  </td>
                  <td>
                    <bdi>{version.version}</bdi>
                  </td>
                  <td>
                    <LifecycleBadges version={version} />
                  </td>
                  <td data-number>{wholeNumber(version.operations.length)}</td>
                  <td>
                    <span className={classes['rowLinks']}>
                      <TextLink
                        href={versionPath(api, version.version)}
                        aria-label={t('landing.referenceOf', { name: titleOf(version) })}
                      >
                        {t('landing.reference')}
                      </TextLink>
                      <Anchor
                        href={documentPath(api, version.version)}
                        underline="always"
                        download={`${api}-${version.version}.json`}
                        aria-label={t('landing.openApiOf', { name: titleOf(version) })}
                      >
                        {t('landing.openApi')}
                      </Anchor>
                    </span>
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </Box>
    </div>
  )
}

function titleOf({ title, version }: PublishedVersion): string {
  return nameAsText(`${title} ${version}`)
}
