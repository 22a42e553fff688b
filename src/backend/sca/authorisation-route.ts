import type { Bank } from '../bank.ts'
import { hasPsuDecided, redirectLinkMs } from '../domain/authorisation.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { Authorisation } from '../stores/authorisations.ts'

/** A route below `/authorise/:id`. */
export interface AuthorisationRoute {
  Params: { id: string }
  Querystring: Readonly<Record<string, string | string[] | undefined>>
  Body: URLSearchParams | undefined
}

export interface RouteOptions {
  readonly bank: Bank
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Finds the authorisation of a link; undefined for an unknown id or an expired link. */
export async function findLinked(
  { bank, now }: RouteOptions,
  id: string,
): Promise<Authorisation | undefined> {
  const found = isUuid(id) ? await bank.stores.authorisations.find(id) : undefined
  if (found?.approach !== 'REDIRECT') return undefined
  return found.createdAt.getTime() + redirectLinkMs <= now() ? undefined : found
}

/** {@link findLinked} for an authorisation that the customer has not decided. */
export async function findUndecided(
  options: RouteOptions,
  id: string,
): Promise<Authorisation | undefined> {
  const found = await findLinked(options, id)
  return found === undefined || hasPsuDecided(found) ? undefined : found
}
