import { Title } from '@mantine/core'
import { type RefObject, useMemo } from 'react'
import type { PublishedOperation } from '../../portal/api/schemas/catalogue.ts'
import { useKeyHint } from '../api/key-hint.ts'
import { CodeTabs } from '../components/code-tabs.tsx'
import { CopyValue } from '../components/copy-value.tsx'
import { DocumentText } from '../components/document-text.tsx'
import { Message } from '../components/message.tsx'
import { MethodBadge } from '../components/method-badge.tsx'
import { Pill } from '../components/pill.tsx'
import { useFacts } from '../facts.tsx'
import { t } from '../words.ts'
import { Bones } from './bones.tsx'
import { ErrorTable } from './error-table.tsx'
import { Markup } from './markup.tsx'
import { errorsOf, operationEntry } from './operation-entry.ts'
import { ParameterList } from './parameter-list.tsx'
import classes from './reference.module.css'
import { ResponseExamples } from './response-examples.tsx'
import { SchemaTree } from './schema-tree.tsx'
import { SecurityList } from './security-list.tsx'
import { TryOperation } from './try-operation.tsx'

export interface OperationViewProps {
  readonly api: string
  readonly version: string
  readonly operation: PublishedOperation
  /** Undefined while it loads. */
  readonly document: unknown
  readonly heading: RefObject<HTMLHeadingElement | null>
  readonly isCallable: boolean
}

/** One operation: what it does and takes beside samples and answers. */
export function OperationView(props: OperationViewProps) {
  const { api, version, operation, document, heading, isCallable } = props
  const { gatewayUrl } = useFacts()
  const entry = useMemo(() => operationEntry(document, operation.id), [document, operation.id])
  const content = entry?.body?.contents[0]
  const errors = entry === undefined ? [] : errorsOf(entry)
  // The table has all of a response whose examples are errors of the gateway.
  const responses = entry?.responses.filter(({ status }) => {
    const rows = errors.filter((error) => error.status === status)
    return rows.length === 0 || rows.some(({ isOfGateway }) => !isOfGateway)
  })
  return (
    <article className={classes['operation']} aria-labelledby="operation">
      <header className={classes['operationHead']}>
        <div className={classes['operationTitle']}>
          <h2 id="operation" ref={heading} tabIndex={-1}>
            <DocumentText text={operation.summary} />
          </h2>
          {operation.removedIn === null ? null : (
            <Pill tone="warn">{t('reference.removedIn', { version: operation.removedIn })}</Pill>
          )}
          <span className={classes['operationAction']}>
            {isCallable ? <TryOperation api={api} version={version} operation={operation} /> : null}
          </span>
        </div>
        <div className={classes['address']}>
          <MethodBadge method={operation.method} />
          <CopyValue
            value={`${gatewayUrl}${operation.path}`}
            shown={operation.path}
            label={t('reference.address')}
          />
        </div>
      </header>
      <div className={classes['panes']}>
        <div className={classes['text']}>
          {entry === undefined ? <Bones /> : <Markup text={entry.description} />}
          {entry === undefined ? null : <SecurityList security={entry.security} />}
          {entry === undefined ? null : (
            <ParameterList document={document} parameters={entry.parameters} />
          )}
          {content === undefined ? null : (
            <section aria-labelledby="body">
              <Title order={3} id="body">
                {t('reference.body')}{' '}
                <span className={classes['facts']} dir="ltr">
                  {content.mediaType}
                </span>
              </Title>
              <Markup text={entry?.body?.description ?? ''} />
              <SchemaTree document={document} schema={content.schema} />
            </section>
          )}
          {responses?.map(({ status, description, contents: [body] }) => (
            <div key={status}>
              <Title order={3}>{t('reference.responseOf', { status })}</Title>
              <Markup text={description} />
              {body === undefined ? null : /^[123]/.test(status) ? (
                <SchemaTree document={document} schema={body.schema} />
              ) : (
                <details className={classes['inside']}>
                  <summary>
                    <bdi>{body.mediaType}</bdi>
                  </summary>
                  <SchemaTree document={document} schema={body.schema} />
                </details>
              )}
            </div>
          ))}
          <ErrorTable errors={errors} />
        </div>
        <div className={classes['code']}>
          {entry === undefined || entry.samples.length === 0 ? null : (
            <>
              <CodeTabs
                samples={entry.samples}
                label={t('reference.sampleOf', { name: operation.summary })}
              />
              <KeyHint />
            </>
          )}
          {entry === undefined ? null : <ResponseExamples responses={entry.responses} />}
        </div>
      </div>
    </article>
  )
}

/** Says which of the reader's keys the samples expect. */
function KeyHint() {
  const hint = useKeyHint()
  if (hint === undefined) return null
  return (
    <p className={classes['hint']}>
      <Message
        id="reference.keyHint"
        values={{
          hint: (
            <code dir="ltr" key="hint">
              {hint}
            </code>
          ),
        }}
      />
    </p>
  )
}
