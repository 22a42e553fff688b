// This folder has the pages that need no account. This file is the first page, `version-page.tsx` describes an API
// version, `diff-page.tsx` compares two, and `sandbox-page.tsx` shows the sandbox's customers.

import type { PublishedApi } from '../../../portal/api/schemas/catalogue.ts'
import { useApis } from '../../api/catalogue.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Frame } from '../../layout/frame.tsx'
import { t } from '../../words.ts'
import { Hero } from './hero.tsx'
import classes from './landing.module.css'
import { ProductCards } from './product-cards.tsx'
import { Reasons } from './reasons.tsx'
import { VersionTable } from './version-table.tsx'

/** The first page: a promise with a true sample, what the bank offers, and its versions. */
export function LandingPage() {
  const apis = useApis()
  const published = apis.data?.items.toSorted(byOperations)
  return (
    <>
      <Hero apis={published ?? []} />
      <Frame>
        <div className={classes['sections']}>
          <QueryState query={apis} label={t('landing.loading')} />
          {published?.length === 0 ? (
            <EmptyState title={t('landing.none.title')}>{t('landing.none.text')}</EmptyState>
          ) : null}
          {published === undefined || published.length === 0 ? null : (
            <>
              <ProductCards apis={published} />
              <VersionTable apis={published} />
            </>
          )}
          <Reasons />
        </div>
      </Frame>
    </>
  )
}

/** The API with the most operations first: it is the one that most developers come for. */
function byOperations(a: PublishedApi, b: PublishedApi): number {
  return operationsOf(b) - operationsOf(a)
}

function operationsOf({ versions }: PublishedApi): number {
  return versions.at(-1)?.operations.length ?? 0
}
