import { Anchor, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { PublishedApi, PublishedVersion } from '../../portal/api/schemas/catalogue.ts'
import { membersOf, textOf } from '../calls/document-nodes.ts'
import { CopyValue } from '../components/copy-value.tsx'
import { Message } from '../components/message.tsx'
import { useFacts } from '../facts.tsx'
import { limitInWords } from '../in-words.ts'
import { documentPath } from '../published.ts'
import { t } from '../words.ts'
import { Markup } from './markup.tsx'
import { OperationList } from './operation-list.tsx'
import classes from './reference.module.css'

export interface OverviewProps {
  readonly published: PublishedApi
  readonly version: PublishedVersion
  /** Undefined while it loads. */
  readonly document: unknown
}

/** The beginning of a reference: how to call, all operations, and what the document says about itself. */
export function Overview({ published, version, document }: OverviewProps) {
  const info = membersOf(membersOf(document)['info'])
  return (
    <>
      {version.isRetired ? null : <Basics published={published} version={version} />}
      <OperationList
        api={published.api}
        version={version}
        oldest={published.versions[0]?.version}
      />
      <Markup text={textOf(info['description'])} />
    </>
  )
}

/** How to call. On a phone, what the first call needs; the rest shows when it is asked for. */
function Basics({ published, version }: Pick<OverviewProps, 'published' | 'version'>) {
  const { gatewayUrl } = useFacts()
  const [isWhole, setIsWhole] = useState(false)
  const limit = version.plans[0]?.limits[0]
  return (
    <div className={classes['basics']} data-whole={isWhole || undefined}>
      <dl aria-label={t('reference.howToCall')}>
        <div>
          <dt>{t('reference.gateway')}</dt>
          <dd dir="ltr">
            <CopyValue value={gatewayUrl} label={t('reference.address')} />
          </dd>
        </div>
        <div className={classes['later']}>
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
        <div className={classes['later']}>
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
        <div className={classes['later']}>
          <dt>{t('reference.whatIsLeft')}</dt>
          <dd>
            <Message
              id="reference.refusals"
              tags={{
                link: (text) => (
                  <Anchor href="/problems/" underline="always">
                    {text}
                  </Anchor>
                ),
              }}
            />
          </dd>
        </div>
      </dl>
      <UnstyledButton
        className={classes['whole'] ?? ''}
        aria-expanded={isWhole}
        onClick={() => setIsWhole(!isWhole)}
      >
        {t('reference.moreFacts')}
      </UnstyledButton>
    </div>
  )
}
