import type { FastifyReply } from 'fastify'
import type { Bank } from '../bank.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import { formHeaders } from './page-headers.ts'
import { type MessageName, messagePage } from './pages.ts'
import { type Outcome, returnAddress } from './return-address.ts'
import { visitOf } from './visit.ts'

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.header('content-type', 'text/html; charset=utf-8').send(page)
}

/** Sends a page with a title and a text only. */
export function sendMessage(
  bank: Pick<Bank, 'brand'>,
  reply: FastifyReply,
  status: number,
  name: MessageName,
): FastifyReply {
  return sendPage(reply.code(status), messagePage(name, visitOf(bank.brand(), reply.request)))
}

/** Sends the form of an authorisation. Its policy allows the redirects that can follow the decision. */
export function sendForm(
  bank: Pick<Bank, 'sandbox'>,
  reply: FastifyReply,
  authorisation: Authorisation,
  page: string,
): FastifyReply {
  const headers = formHeaders([
    returnAddress(bank, authorisation, { isApproved: true }),
    returnAddress(bank, authorisation, { isApproved: false }),
  ])
  return sendPage(reply.headers(headers), page)
}

/** Redirects the browser to the application after a decision. Without an address, shows that the approval is over. */
export function redirectBack(
  bank: Pick<Bank, 'brand' | 'sandbox'>,
  reply: FastifyReply,
  authorisation: Authorisation,
  outcome: Outcome,
): FastifyReply {
  const address = returnAddress(bank, authorisation, outcome)
  return address === undefined
    ? sendMessage(bank, reply, 200, 'done')
    : reply.redirect(address, 303)
}

/** Parameter of the query: another browser has signed in and replaced this one. */
export const elsewhere = 'signed-in-elsewhere'

/** Redirects a browser that is not signed in to the sign-in form, which states if another browser has replaced it. */
export function redirectToSignIn(
  reply: FastifyReply,
  { id, sessionSha256 }: Authorisation,
  session: string | undefined,
): FastifyReply {
  const isElsewhere = session !== undefined && sessionSha256 !== null
  return reply.redirect(`/authorise/${id}${isElsewhere ? `?${elsewhere}` : ''}`, 303)
}
