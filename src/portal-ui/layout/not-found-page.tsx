import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../gateway/portal/page-paths.ts'
import { Page } from './page.tsx'

/** What shows at an address that leads nowhere. */
export function NotFoundPage() {
  return (
    <Page
      title="There is nothing here"
      lead="The address leads nowhere, or to something that is not there any more."
      width="narrow"
    >
      <Button component={Link} href={pagePaths.landing} variant="default">
        To the APIs
      </Button>
    </Page>
  )
}
