import { Page } from '../../layout/page.tsx'

/** Where the link of the first mail leads. */
export function VerifyPage() {
  return <Page title="Set your password">{null}</Page>
}
