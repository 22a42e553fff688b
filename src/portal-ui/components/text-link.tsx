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

/** A tag of a message: its text leads to another page of the portal. */
export function pageLink(href: string, props: AnchorProps = {}) {
  return (text: ReactNode) => (
    <TextLink href={href} {...props}>
      {text}
    </TextLink>
  )
}

/** A tag of a message: its text leads out of the portal, to a part of the page, or to a page without scripts. */
export function plainLink(href: string, props: AnchorProps = {}) {
  return (text: ReactNode) => (
    <Anchor href={href} underline="always" {...props}>
      {text}
    </Anchor>
  )
}
