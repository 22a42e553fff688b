import { useQuery } from '@tanstack/react-query'
import type { MailboxList } from '../../portal/api/schemas/mailbox.ts'
import { requestList } from './client.ts'

/**
 * The mails of a portal without a mail server. Polls every two seconds, because
 * the portal writes a mail a moment after it is due.
 */
export function useMailbox() {
  return useQuery({
    queryKey: ['mailbox'],
    queryFn: () => requestList<MailboxList>('/api/mailbox'),
    refetchInterval: ({ state }) => (state.error === null ? 2_000 : false),
  })
}
