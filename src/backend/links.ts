import type { BankCall } from './bank-call.ts'
import type { Authorisation } from './stores/authorisations.ts'

/** Links of an answer by name; a link is always an object, as the documents publish it. */
export type Links = Readonly<Record<string, { readonly href: string }>>

/** The paths of a resource, relative to the origin, in the version of the call. */
export interface ResourcePaths {
  readonly self: string
  readonly status: string
}

/** The paths of a resource in a collection: `pathsOf(call, 'consents', id)`. */
export function pathsOf(call: BankCall, ...segments: readonly string[]): ResourcePaths {
  const self = [call.prefix, ...segments].join('/')
  return { self, status: `${self}/status` }
}

/** Makes links of paths. Omits the paths that are undefined. */
export function linksTo(paths: Readonly<Record<string, string | undefined>>): Links {
  const links: Record<string, { readonly href: string }> = {}
  for (const [name, href] of Object.entries(paths)) {
    if (href !== undefined) links[name] = { href }
  }
  return links
}

/** Links to a resource and to its state. */
export function resourceLinks({ self, status }: ResourcePaths): Links {
  return linksTo({ self, status })
}

/** What decides which links an authorisation has, beside its own state. */
export interface AuthorisationLinkOptions {
  readonly paths: ResourcePaths
  /** Origin of the bank's pages. */
  readonly scaPublicUrl: string
  /** Whether the version of the call has an operation that reads the authorisation. (Default: no) */
  readonly isReadable?: boolean
  /** Whether it has one that updates it. (Default: no) */
  readonly isUpdatable?: boolean
  /** Whether the TPP will have to confirm what the PSU approves on the bank's page. (Default: no) */
  readonly needsConfirmation?: boolean
}

/**
 * Links to the next step of an authorisation and to its state (docs/bank.md,
 * Approval). `scaStatus` appears only if the version of the call can read it.
 */
export function authorisationLinks(
  { id, approach, status }: Pick<Authorisation, 'id' | 'approach' | 'status'>,
  options: AuthorisationLinkOptions,
): Links {
  const { paths, scaPublicUrl } = options
  const { isReadable = false, isUpdatable = false, needsConfirmation = false } = options
  const path = `${paths.self}/authorisations/${id}`
  const isUndecided = status !== 'finalised' && status !== 'failed' && status !== 'exempted'
  const isOnPage = approach === 'REDIRECT' && isUndecided && status !== 'unconfirmed'
  const next = isUpdatable ? nextStep(approach, status) : undefined
  return linksTo({
    ...(isOnPage ? { scaRedirect: `${scaPublicUrl}/authorise/${id}` } : {}),
    ...(isOnPage && isUpdatable && needsConfirmation ? { confirmation: path } : {}),
    ...(next === undefined ? {} : { [next]: path }),
    scaStatus: isReadable ? path : undefined,
  })
}

/** The name of the link to the TPP's next step; undefined while the TPP has to wait. */
function nextStep(
  approach: Authorisation['approach'],
  status: Authorisation['status'],
): string | undefined {
  if (status === 'unconfirmed') return 'confirmation'
  if (approach === 'REDIRECT') return undefined
  switch (status) {
    case 'received':
      return approach === 'DECOUPLED' ? 'updatePsuIdentification' : 'updatePsuAuthentication'
    case 'psuIdentified':
      return 'updatePsuAuthentication'
    case 'psuAuthenticated':
      return 'selectAuthenticationMethod'
    case 'scaMethodSelected':
      return 'authoriseTransaction'
    default:
      return undefined
  }
}
