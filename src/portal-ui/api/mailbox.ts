import type { MailboxList } from '../../portal/api/schemas/mailbox.ts'
import { useReadList } from './use-read.ts'

/**
 * The mails of a portal without a mail server. Polls every two seconds, because
 * the portal writes a mail a moment after it is due.
 */
export function useMailbox() {
  return useReadList<MailboxList>(['mailbox'], '/api/mailbox', {
    refetchInterval: ({ state }) => (state.error === null ? 2_000 : false),
  })
}
