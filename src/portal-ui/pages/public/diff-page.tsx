import { Page } from '../../layout/page.tsx'

/** What moving from one version to another means. */
export function DiffPage() {
  return <Page title="Difference">{null}</Page>
}
