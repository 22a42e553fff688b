import { Page } from '../../layout/page.tsx'

/** One version of an API. */
export function VersionPage() {
  return <Page title="API version">{null}</Page>
}
