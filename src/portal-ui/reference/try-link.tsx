import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { t } from '../words.ts'

/** What a small button in a row says in place of "Try it". */
export interface TryWords {
  readonly shown: string
  /** For screen readers, which read it without its row. */
  readonly spoken: string
}

/** How the button looks: in a row it is small. */
export function tryButton(words: TryWords | undefined) {
  return words === undefined
    ? ({ size: 'sm', variant: 'default' } as const)
    : ({ size: 'compact-sm', variant: 'transparent', px: 0, 'aria-label': words.spoken } as const)
}

export interface TryLinkProps {
  readonly href: string
  readonly words?: TryWords | undefined
}

/** The button "Try it" as a link. */
export function TryLink({ href, words }: TryLinkProps) {
  return (
    <Button component={Link} href={href} {...tryButton(words)}>
      {words?.shown ?? t('reference.try')}
    </Button>
  )
}
