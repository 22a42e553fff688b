import { Title } from '@mantine/core'
import { Link } from 'wouter'
import type {
  MissingOperation,
  PublishedOperation,
  PublishedVersion,
} from '../../portal/api/schemas/catalogue.ts'
import { DocumentText } from '../components/document-text.tsx'
import { MethodBadge } from '../components/method-badge.tsx'
import { Pill } from '../components/pill.tsx'
import { operationPath, tagTitle } from '../published.ts'
import { t } from '../words.ts'
import classes from './reference.module.css'

export interface OperationListProps {
  readonly api: string
  readonly version: PublishedVersion
  /** The oldest published version of the API. */
  readonly oldest: string | undefined
}

/** The operations of a version by subject, each a link to its description, and those that only other versions have. */
export function OperationList({ api, version, oldest }: OperationListProps) {
  const groups = Map.groupBy(version.operations, ({ tag }) => tag)
  return (
    <>
      {[...groups].map(([tag, operations]) => (
        <section
          key={tag}
          aria-label={tagTitle(version, tag) || undefined}
          className={classes['group']}
        >
          {tag === '' ? null : (
            <Title order={2}>
              <DocumentText text={tagTitle(version, tag)} />
            </Title>
          )}
          <ul className={classes['rows']}>
            {operations.map((operation) => (
              <li key={operation.id}>
                <Link
                  href={operationPath(api, version.version, operation)}
                  className={classes['row'] ?? ''}
                >
                  <MethodBadge method={operation.method} />
                  <span>
                    <DocumentText text={operation.summary} />
                  </span>
                  <span className={classes['rowPath']} dir="ltr">
                    {operation.path}
                  </span>
                  <Presence operation={operation} oldest={oldest} />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {version.missing.length === 0 ? null : <Missing operations={version.missing} />}
    </>
  )
}

function Missing({ operations }: { readonly operations: readonly MissingOperation[] }) {
  return (
    <section aria-labelledby="not-here" className={classes['group']}>
      <Title order={2} id="not-here">
        {t('reference.notHere')}
      </Title>
      <ul className={classes['rows']}>
        {operations.map((operation) => (
          <li key={operation.id} className={classes['row']}>
            <MethodBadge method={operation.method} />
            <span>
              <DocumentText text={operation.summary} />
            </span>
            <span className={classes['rowPath']} dir="ltr">
              {operation.template}
            </span>
            <Pill tone="warn">
              {operation.removedIn === null
                ? t('reference.onlyIn', { versions: operation.availableIn.join(', ') })
                : t('reference.removedIn', { version: operation.removedIn })}
            </Pill>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Marks an operation that some versions lack. */
function Presence({
  operation: { removedIn, availableIn },
  oldest,
}: {
  readonly operation: PublishedOperation
  readonly oldest: string | undefined
}) {
  const [first = ''] = availableIn
  if (removedIn !== null) {
    return <Pill tone="warn">{t('reference.removedIn', { version: removedIn })}</Pill>
  }
  return first === oldest ? null : <Pill tone="ok">{t('reference.newIn', { version: first })}</Pill>
}
