import type { FastifyReply, FastifyRequest } from 'fastify'
import { seal, unseal } from '../sealing/sealed.ts'
import type { PortalServices } from '../services.ts'
import type { Checks } from './provider.ts'

/** A sign-in under way: what its browser keeps while the person is at the provider. */
export interface Transaction {
  readonly checks: Checks
  /** For a proof: the listed id of the session that asks for it. Null: a sign-in. */
  readonly sessionId: string | null
  /** The path to open afterwards, as the page gave it: only the page judges it. */
  readonly next: string | null
  /** Milliseconds since 1970. */
  readonly beganAt: number
}

type TransactionServices = Pick<PortalServices, 'secrets' | 'portalUrl' | 'now'>

/** Seconds that a person may take at the provider (our choice). */
const transactionSeconds = 600

const purpose = 'oidc transaction'

/**
 * Gives the browser a transaction. It is encrypted, so that only the portal can
 * have made it. A new one replaces an older one.
 */
export function keepTransaction(
  { secrets, portalUrl }: TransactionServices,
  reply: FastifyReply,
  transaction: Transaction,
): void {
  const { name, attributes } = transactionCookie(portalUrl())
  const sealed = seal(secrets.oidc, purpose, JSON.stringify(transaction))
  const maxAge = transactionSeconds
  reply.setCookie(name, sealed.toString('base64url'), { ...attributes, maxAge })
}

/** Takes the transaction from the browser. Undefined: the browser sent no transaction, or it is too old. */
export function takeTransaction(
  { secrets, portalUrl, now }: TransactionServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Transaction | undefined {
  const { name, attributes } = transactionCookie(portalUrl())
  const sent = request.cookies[name]
  if (sent === undefined) return undefined
  reply.clearCookie(name, attributes)
  const opened = unseal(secrets.oidc, purpose, Buffer.from(sent, 'base64url'))
  if (opened === undefined) return undefined
  // The seal proves that the portal wrote it.
  const transaction = JSON.parse(opened) as Transaction
  return now() - transaction.beganAt < transactionSeconds * 1000 ? transaction : undefined
}

/** Lax: the provider sends the browser back from another site. */
function transactionCookie(portalUrl: string) {
  const secure = portalUrl.startsWith('https:')
  return {
    name: secure ? '__Host-tollgate-oidc' : 'tollgate_oidc',
    attributes: { httpOnly: true, sameSite: 'lax', path: '/', secure },
  } as const
}
