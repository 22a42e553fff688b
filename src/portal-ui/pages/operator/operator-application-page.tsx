import { Page } from '../../layout/page.tsx'

/** One application, for operators. */
export function OperatorApplicationPage() {
  return <Page title="Application">{null}</Page>
}
