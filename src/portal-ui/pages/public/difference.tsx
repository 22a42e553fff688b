import { Stack, Text, Title } from '@mantine/core'
import type {
  DiffedOperation,
  PublishedApis,
  VersionDiff,
} from '../../../portal/api/schemas/catalogue.ts'
import { useApis, useVersionDiff } from '../../api/catalogue.ts'
import { ChangeInWords } from '../../components/change-in-words.tsx'
import { DocumentText } from '../../components/document-text.tsx'
import { MethodBadge } from '../../components/method-badge.tsx'
import { Pill } from '../../components/pill.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { summaryOfOperation } from '../../published.ts'
import classes from '../../reference/reference.module.css'
import { t } from '../../words.ts'

export interface DifferenceProps {
  readonly api: string
  readonly from: string
  readonly to: string
}

/** What changes from one version to another, operation by operation. */
export function Difference({ api, from, to }: DifferenceProps) {
  const diff = useVersionDiff(api, from, to)
  const { data: apis } = useApis()
  if (diff.data === undefined) return <QueryState query={diff} label={t('diff.loading')} />
  const named = inPageLanguage(diff.data, apis)
  const { added, removed, changed } = named
  return (
    <Stack gap="xl">
      <Text role="status">{summaryOf(named)}</Text>
      <Operations title={t('diff.removedIn', { version: to })} operations={removed} isBreaking />
      <Operations title={t('diff.newIn', { version: to })} operations={added} />
      {changed.length === 0 ? null : (
        <section aria-labelledby="changed" className={classes['group']}>
          <Title order={2} id="changed">
            {t('diff.changed')}
          </Title>
          <ul className={classes['rows']}>
            {changed.map((operation) => (
              <li key={operation.id}>
                <div className={classes['row']}>
                  <Operation operation={operation} />
                </div>
                <ul className={classes['changes']}>
                  {operation.changes.map((change) => (
                    <li key={`${change.where} ${change.message}`}>
                      <ChangeInWords change={change} />{' '}
                      {change.isBreaking ? <Pill tone="bad">{t('diff.mayBreak')}</Pill> : null}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Stack>
  )
}

interface OperationsProps {
  readonly title: string
  readonly operations: readonly DiffedOperation[]
  readonly isBreaking?: boolean
}

function Operations({ title, operations, isBreaking = false }: OperationsProps) {
  if (operations.length === 0) return null
  return (
    <section aria-label={title} className={classes['group']}>
      <Title order={2}>{title}</Title>
      <ul className={classes['rows']}>
        {operations.map((operation) => (
          <li key={operation.id} className={classes['row']}>
            <Operation operation={operation} />
            {isBreaking ? <Pill tone="bad">{t('diff.mayBreak')}</Pill> : null}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Operation({ operation }: { readonly operation: DiffedOperation }) {
  const { method, template, summary } = operation
  return (
    <>
      <MethodBadge method={method} />
      <DocumentText text={summary} />
      <span className={classes['rowPath']} dir="ltr">
        {template}
      </span>
    </>
  )
}

/** The list of APIs has the summaries in the page's language. */
function inPageLanguage(diff: VersionDiff, apis: PublishedApis | undefined): VersionDiff {
  const named = <Operation extends DiffedOperation>(operation: Operation): Operation => ({
    ...operation,
    summary: summaryOfOperation(apis, diff.api, operation),
  })
  const { added, removed, changed } = diff
  return {
    ...diff,
    added: added.map(named),
    removed: removed.map(named),
    changed: changed.map(named),
  }
}

function summaryOf({ added, removed, changed }: VersionDiff): string {
  if (added.length + removed.length + changed.length === 0) return t('diff.none')
  const breaking = changed.filter(({ changes }) => changes.some(({ isBreaking }) => isBreaking))
  return t('diff.summary', {
    removed: removed.length,
    added: added.length,
    changed: changed.length,
    // A removed operation breaks whatever calls it.
    breaking: breaking.length + removed.length,
  })
}
