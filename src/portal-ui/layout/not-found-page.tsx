import { Button, Group } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { t } from '../words.ts'
import { Page } from './page.tsx'

/** The page for an unknown address. */
export function NotFoundPage() {
  return (
    <Page title={t('notFound.title')} lead={t('notFound.lead')} width="narrow">
      <Group>
        <Button component={Link} href={pagePaths.landing}>
          {t('notFound.back')}
        </Button>
      </Group>
    </Page>
  )
}
