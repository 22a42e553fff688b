import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { t } from '../words.ts'

/** The button "Try it" as a link. */
export function TryLink({ href }: { readonly href: string }) {
  return (
    <Button component={Link} href={href} size="sm" variant="default">
      {t('reference.try')}
    </Button>
  )
}
