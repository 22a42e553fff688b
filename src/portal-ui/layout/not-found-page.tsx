import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../gateway/portal/page-paths.ts'
import { Page } from './page.tsx'

/** The page for an unknown address. */
export function NotFoundPage() {
  return (
    <Page
      title="There is nothing here"
      lead="This address does not exist, or no longer exists."
      width="narrow"
    >
      <Button component={Link} href={pagePaths.landing} variant="default">
        To the APIs
      </Button>
    </Page>
  )
}
