// This folder shows the guides. The portal renders them (`portal/guides/`); their text is in `src/guides`.

import { Group, Text } from '@mantine/core'
import { Link, useParams } from 'wouter'
import type { Guide } from '../../../portal/api/schemas/guides.ts'
import { isProblem } from '../../api/client.ts'
import { useGuide, useGuides } from '../../api/guides.ts'
import { QueryState } from '../../components/query-state.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { SideBar } from '../../layout/side-bar.tsx'
import { useFocusedFragment } from '../../layout/use-focused-fragment.ts'
import { pageLanguage, t } from '../../words.ts'
import { GuideBody } from './guide-body.tsx'
import { guidePath } from './guide-path.ts'
import classes from './guides.module.css'

/** One guide, beside the list of all. */
export function GuidePage() {
  const { guide: name } = useParams<{ guide: string }>()
  const guides = useGuides()
  const guide = useGuide(name)
  if (isProblem(guide.error, 'NOT_FOUND')) return <NotFoundPage />
  const known = guides.data?.items ?? []
  return (
    <SideBar
      label={t('guides.title')}
      items={known.map((each) => ({ href: guidePath(each.name), label: each.title }))}
      current={guidePath(name)}
    >
      {guide.data === undefined ? (
        <Page
          title={known.find((each) => each.name === name)?.title ?? t('guides.title')}
          width="inner"
        >
          <QueryState query={guide} />
        </Page>
      ) : (
        <LoadedGuide key={name} guide={guide.data} next={nextOf(known, name)} />
      )}
    </SideBar>
  )
}

interface LoadedGuideProps {
  readonly guide: Guide
  readonly next: { readonly name: string; readonly title: string } | undefined
}

function LoadedGuide({ guide, next }: LoadedGuideProps) {
  useFocusedFragment()
  const sections = guide.headings.filter(({ level }) => level === 2)
  return (
    <Page title={guide.title} lead={guide.description} width="inner">
      <div className={classes['columns']}>
        <nav aria-label={t('guides.onThisPage')} className={classes['aside']}>
          <Text fw={550} size="sm">
            {t('guides.onThisPage')}
          </Text>
          <Contents headings={sections} />
        </nav>
        <details className={classes['folded']}>
          <summary>{t('guides.onThisPage')}</summary>
          <Contents headings={sections} />
        </details>
        <div className={classes['main']}>
          <GuideBody parts={guide.parts} />
          <Group justify="space-between" gap="md" className={classes['end'] ?? ''}>
            <a href={`${guidePath(guide.name)}.md?language=${pageLanguage()}`}>
              {t('guides.asMarkdown')}
            </a>
            {next === undefined ? null : (
              <Link href={guidePath(next.name)}>{t('guides.next', { title: next.title })}</Link>
            )}
          </Group>
        </div>
      </div>
    </Page>
  )
}

function Contents({ headings }: { readonly headings: Guide['headings'] }) {
  return (
    <ul className={classes['contents']}>
      {headings.map(({ id, title }) => (
        <li key={id}>
          <a href={`#${id}`}>{title}</a>
        </li>
      ))}
    </ul>
  )
}

function nextOf(
  guides: readonly LoadedGuideProps['next'][],
  name: string,
): LoadedGuideProps['next'] {
  const index = guides.findIndex((each) => each?.name === name)
  return index === -1 ? undefined : guides[index + 1]
}
