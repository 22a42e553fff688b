import { Page } from '../../layout/page.tsx'

/** One's own applications. */
export function ApplicationsPage() {
  return <Page title="Applications">{null}</Page>
}
