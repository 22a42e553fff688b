import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

export interface TextLinkProps extends AnchorProps {
  /** A path of the page itself. */
  readonly href: string
  readonly children: ReactNode
}

/** A link in text to another page of the portal; underlined, so that its colour is not all that tells it. */
export function TextLink({ href, children, ...rest }: TextLinkProps) {
  return (
    <Anchor component={Link} href={href} underline="always" {...rest}>
      {children}
    </Anchor>
  )
}
