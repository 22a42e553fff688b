import { Page } from '../../layout/page.tsx'

/** Where the opt-out link of a mail leads. */
export function OptOutPage() {
  return <Page title="Fewer mails">{null}</Page>
}
