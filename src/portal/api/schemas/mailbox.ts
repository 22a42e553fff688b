import { type Static, Type } from 'typebox'
import { closed, Instant, listOf } from './common.ts'

/** A paragraph, or a link and its label. */
export const MailboxBlock = closed({
  text: Type.String(),
  href: Type.Optional(Type.String({ description: 'a path of this portal' })),
})
export type MailboxBlock = Static<typeof MailboxBlock>

export const MailboxMail = closed({
  id: Type.String(),
  at: Instant,
  to: Type.String(),
  subject: Type.String(),
  blocks: Type.Array(MailboxBlock),
})
export type MailboxMail = Static<typeof MailboxMail>

/** `GET /api/mailbox`: newest first. */
export const MailboxList = listOf(MailboxMail)
export type MailboxList = Static<typeof MailboxList>
