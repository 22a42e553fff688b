import { Page } from '../../layout/page.tsx'

/** The operator's pages. */
export function OperatorPage() {
  return <Page title="Operator">{null}</Page>
}
