import { Alert, Badge, Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useLocation, useParams, useSearchParams } from 'wouter'
import type {
  DiffedOperation,
  PublishedApi,
  VersionDiff,
} from '../../../gateway/portal/schemas/catalogue.ts'
import { useApis, useVersionDiff } from '../../api/catalogue.ts'
import { MethodBadge } from '../../components/method-badge.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { counted } from '../../in-words.ts'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { diffPath, versionPath } from '../../published.ts'
import classes from './public.module.css'

/** Compares two versions of an API, operation by operation. */
export function DiffPage() {
  const { api } = useParams<{ api: string }>()
  const apis = useApis()
  if (apis.data === undefined) {
    return (
      <Page title="What changed">
        <QueryState query={apis} />
      </Page>
    )
  }
  const published = apis.data.items.find((known) => known.api === api)
  return published === undefined ? <NotFoundPage /> : <Comparison published={published} />
}

function Comparison({ published }: { readonly published: PublishedApi }) {
  const { api, title, versions } = published
  const [, navigate] = useLocation()
  const [search] = useSearchParams()
  const names = versions.map(({ version }) => version)
  const from = known(names, search.get('from')) ?? names.at(-2) ?? names.at(-1) ?? ''
  const to = known(names, search.get('to')) ?? names.at(-1) ?? ''
  const choose = (chosenFrom: string, chosenTo: string): void =>
    navigate(diffPath(api, chosenFrom, chosenTo), { replace: true })
  return (
    <Page
      title={`${title}: what changed`}
      lead={
        <>
          From <TextLink href={versionPath(api, from)}>{from}</TextLink> to{' '}
          <TextLink href={versionPath(api, to)}>{to}</TextLink>.
        </>
      }
      actions={
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="From"
            value={from}
            data={names}
            onChange={(event) => choose(event.currentTarget.value, to)}
          />
          <NativeSelect
            label="To"
            value={to}
            data={names}
            onChange={(event) => choose(from, event.currentTarget.value)}
          />
          <Button variant="default" onClick={() => choose(to, from)}>
            Swap
          </Button>
        </Group>
      }
    >
      {from === to ? (
        <Alert color="gray" title="You chose the same version twice">
          Choose two different versions to compare them.
        </Alert>
      ) : (
        <Difference api={api} from={from} to={to} />
      )}
    </Page>
  )
}

interface DifferenceProps {
  readonly api: string
  readonly from: string
  readonly to: string
}

function Difference({ api, from, to }: DifferenceProps) {
  const diff = useVersionDiff(api, from, to)
  if (diff.data === undefined) {
    return <QueryState query={diff} label="Comparing …" />
  }
  const { added, removed, changed } = diff.data
  return (
    <>
      <Text role="status">{summaryOf(diff.data)}</Text>
      <Operations title={`Removed in ${to}`} operations={removed} />
      <Operations title={`New in ${to}`} operations={added} />
      {changed.length === 0 ? null : (
        <Stack gap="sm" component="section" aria-labelledby="changed">
          <Title order={2} size="h3" id="changed">
            Changed
          </Title>
          <ul className={classes['operations']}>
            {changed.map((operation) => (
              <li key={operation.id} className={classes['operation']}>
                <Operation operation={operation} />
                <ul className={classes['changes']}>
                  {operation.changes.map(({ where, message, isBreaking }) => (
                    <li key={`${where} ${message}`} className={classes['change']}>
                      {isBreaking ? (
                        <Badge radius="sm" color="red" tt="none">
                          may break
                        </Badge>
                      ) : null}
                      <span>
                        <strong>{where}</strong> {message}
                      </span>
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </Stack>
      )}
    </>
  )
}

function Operations({
  title,
  operations,
}: {
  readonly title: string
  readonly operations: readonly DiffedOperation[]
}) {
  if (operations.length === 0) return null
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Title order={2} size="h3">
        {title}
      </Title>
      <ul className={classes['operations']}>
        {operations.map((operation) => (
          <li key={operation.id} className={classes['operation']}>
            <Operation operation={operation} />
          </li>
        ))}
      </ul>
    </Stack>
  )
}

function Operation({ operation }: { readonly operation: DiffedOperation }) {
  const { method, template, summary } = operation
  return (
    <>
      <MethodBadge method={method} className={classes['method']} />
      <span className={classes['path']}>{template}</span>
      <span className={classes['summary']}>{summary}</span>
    </>
  )
}

function summaryOf({ added, removed, changed }: VersionDiff): string {
  if (added.length + removed.length + changed.length === 0) {
    return 'The two versions do not differ for your application.'
  }
  const breaking = changed.filter(({ changes }) => changes.some(({ isBreaking }) => isBreaking))
  const parts = [
    removed.length === 0 ? undefined : `${counted(removed.length, 'operation')} removed`,
    added.length === 0 ? undefined : `${counted(added.length, 'operation')} added`,
    changed.length === 0 ? undefined : `${counted(changed.length, 'operation')} changed`,
  ].filter((part) => part !== undefined)
  const risk =
    breaking.length === 0
      ? ''
      : ` ${breaking.length} of the changes may break an application written for the old version.`
  return `${parts.join(', ')}.${risk}`
}

function known(names: readonly string[], name: string | null): string | undefined {
  return names.find((candidate) => candidate === name)
}
