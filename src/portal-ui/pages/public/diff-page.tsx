import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { useLocation, useParams, useSearchParams } from 'wouter'
import type { PublishedApi } from '../../../portal/api/schemas/catalogue.ts'
import { useApis } from '../../api/catalogue.ts'
import { QueryState } from '../../components/query-state.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { diffPath } from '../../published.ts'
import { t } from '../../words.ts'
import { Difference } from './difference.tsx'

/** Compares any two versions of an API, operation by operation. */
export function DiffPage() {
  const { api } = useParams<{ api: string }>()
  const apis = useApis()
  if (apis.data === undefined) {
    return (
      <Page title={t('diff.title')}>
        <QueryState query={apis} />
      </Page>
    )
  }
  const published = apis.data.items.find((known) => known.api === api)
  return published === undefined ? <NotFoundPage /> : <Comparison published={published} />
}

function Comparison({ published: { api, title, versions } }: { readonly published: PublishedApi }) {
  const [, navigate] = useLocation()
  const [search] = useSearchParams()
  const names = versions.map(({ version }) => version)
  const from = known(names, search.get('from')) ?? names.at(-2) ?? names.at(-1) ?? ''
  const to = known(names, search.get('to')) ?? names.at(-1) ?? ''
  const choose = (chosenFrom: string, chosenTo: string): void =>
    navigate(diffPath(api, chosenFrom, chosenTo), { replace: true })
  return (
    <Page
      title={t('diff.titleOf', { title })}
      actions={
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label={t('diff.from')}
            value={from}
            data={names}
            onChange={(event) => choose(event.currentTarget.value, to)}
          />
          <NativeSelect
            label={t('diff.to')}
            value={to}
            data={names}
            onChange={(event) => choose(from, event.currentTarget.value)}
          />
          <Button variant="default" onClick={() => choose(to, from)}>
            {t('diff.swap')}
          </Button>
        </Group>
      }
    >
      {from === to ? (
        <Alert color="gray" title={t('diff.same.title')}>
          {t('diff.same.text')}
        </Alert>
      ) : (
        <Difference api={api} from={from} to={to} />
      )}
    </Page>
  )
}

function known(names: readonly string[], name: string | null): string | undefined {
  return names.find((candidate) => candidate === name)
}
