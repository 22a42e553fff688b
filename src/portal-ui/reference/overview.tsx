import { Anchor, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { PublishedApi, PublishedVersion } from '../../portal/api/schemas/catalogue.ts'
import { useAbout } from '../api/catalogue.ts'
import { CopyValue } from '../components/copy-value.tsx'
import { Message } from '../components/message.tsx'
import { plainLink } from '../components/text-link.tsx'
import { useFacts } from '../facts.tsx'
import { limitInWords } from '../in-words.ts'
import { documentPath } from '../published.ts'
import { t } from '../words.ts'
import { Bones } from './bones.tsx'
import { Description } from './description.tsx'
import { OperationList } from './operation-list.tsx'
import classes from './reference.module.css'

export interface OverviewProps {
  readonly published: PublishedApi
  readonly version: PublishedVersion
  /** Undefined while it loads. */
  readonly document: unknown
  /** It could not be loaded. */
  readonly isMissing: boolean
}

/** The beginning of a reference: what the document says about itself, how to call, and all operations. */
export function Overview({ published, version, document, isMissing }: OverviewProps) {
  const { api } = published
  const about = useAbout({ api, version: version.version }, document)
  // What stands below a description waits for it, so that nothing moves.
  if (about === undefined && !isMissing) return <Bones />
  return (
    <>
      <Description key={version.version} text={about?.description ?? ''} />
      {version.isRetired ? null : (
        <HowToCall published={published} version={version} address={about?.address ?? ''} />
      )}
      <OperationList api={api} version={version} oldest={published.versions[0]?.version} />
    </>
  )
}

interface HowToCallProps {
  readonly published: PublishedApi
  readonly version: PublishedVersion
  /** The gateway with the prefix of the version; empty if it is not known. */
  readonly address: string
}

/** How to call the API. Phones first show only what the first call needs; a button shows the rest. */
function HowToCall({ published, version, address }: HowToCallProps) {
  const { gatewayUrl } = useFacts()
  const [isExpanded, setIsExpanded] = useState(false)
  // The plan that the form for a subscription preselects.
  const limit = version.plans[0]?.limits[0]
  return (
    <div className={classes['howToCall']} data-expanded={isExpanded || undefined}>
      <dl aria-label={t('reference.howToCall')}>
        <div>
          <dt>{t('reference.gateway')}</dt>
          <dd dir="ltr">
            <CopyValue value={address || gatewayUrl} label={t('reference.address')} />
          </dd>
        </div>
        <div className={classes['secondary']}>
          <dt>{t('reference.key')}</dt>
          <dd dir="ltr">
            <code>X-API-Key</code>
          </dd>
        </div>
        {limit === undefined ? null : (
          <div>
            <dt>{t('reference.limit')}</dt>
            <dd>{limitInWords(limit)}</dd>
          </div>
        )}
        <div className={classes['secondary']}>
          <dt>OpenAPI</dt>
          <dd>
            <Anchor
              href={documentPath(published.api, version.version)}
              download={`${published.api}-${version.version}.json`}
              underline="always"
            >
              {t('reference.download')}
            </Anchor>
          </dd>
        </div>
        <div className={classes['secondary']}>
          <dt>{t('reference.callsLeft')}</dt>
          <dd>
            <Message id="reference.refusals" tags={{ link: plainLink('/problems/') }} />
          </dd>
        </div>
      </dl>
      <UnstyledButton
        className={classes['toggle'] ?? ''}
        aria-expanded={isExpanded}
        onClick={() => setIsExpanded(!isExpanded)}
      >
        {t('reference.moreFacts')}
      </UnstyledButton>
    </div>
  )
}
