import { Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useGuides } from '../../api/guides.ts'
import { QueryState } from '../../components/query-state.tsx'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'
import { guidePath } from './guide-path.ts'
import classes from './guides.module.css'

/** Every guide with a sentence about it. */
export function GuidesPage() {
  const guides = useGuides()
  return (
    <Page title={t('guides.title')} lead={t('guides.lead')}>
      <QueryState query={guides} />
      <ol className={classes['cards']}>
        {(guides.data?.items ?? []).map(({ name, title, description }) => (
          <li key={name}>
            <Link href={guidePath(name)} className={classes['card'] ?? ''}>
              <Stack gap={4}>
                <Text component="span" fw={650}>
                  {title}
                </Text>
                <Text component="span" c="dimmed">
                  {description}
                </Text>
              </Stack>
            </Link>
          </li>
        ))}
      </ol>
    </Page>
  )
}
