import { Page } from '../../layout/page.tsx'

/** Where the link to a new address leads. */
export function ConfirmEmailPage() {
  return <Page title="Confirm your new address">{null}</Page>
}
