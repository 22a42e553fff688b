import { Page } from '../../layout/page.tsx'

/** The first page: what is published. */
export function LandingPage() {
  return <Page title="APIs">{null}</Page>
}
