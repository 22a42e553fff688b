import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

export interface TextLinkProps extends AnchorProps {
  /** A path of the portal. */
  readonly href: string
  readonly children: ReactNode
}

/** A link to another page of the portal within text; underlined, because colour alone must not mark a link. */
export function TextLink({ href, children, ...rest }: TextLinkProps) {
  return (
    <Anchor component={Link} href={href} underline="always" {...rest}>
      {children}
    </Anchor>
  )
}
