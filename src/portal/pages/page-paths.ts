/**
 * Every path that the page renders, in the syntax of its router. The server
 * sends the page for these paths and 404 for any other; the page builds its
 * routes from the same names.
 */
export const pagePaths = {
  landing: '/',
  apiVersion: '/apis/:api/:version',
  apiVersionTab: '/apis/:api/:version/:tab',
  apiDiff: '/apis/:api/diff',
  guides: '/guides',
  guide: '/guides/:guide',
  sandbox: '/sandbox',
  sandboxReturn: '/sandbox/return',
  signUp: '/sign-up',
  verify: '/verify',
  signIn: '/sign-in',
  reset: '/reset',
  resetConfirm: '/reset/confirm',
  confirmEmail: '/confirm-email',
  enrol: '/enrol',
  optOut: '/mails/opt-out',
  mailbox: '/mailbox',
  applications: '/applications',
  application: '/applications/:id',
  applicationTab: '/applications/:id/:tab',
  moveSubscription: '/applications/:id/move/:subscriptionId',
  callRecord: '/r/:requestId',
  profile: '/profile',
  operator: '/operator',
  operatorSection: '/operator/:section',
  operatorApplication: '/operator/applications/:id',
} as const

/** The path of the record of a call. */
export function callRecordPath(requestId: string): string {
  return pagePaths.callRecord.replace(':requestId', requestId)
}

/** The path of an application's page for operators. */
export function operatorApplicationPath(id: string): string {
  return pagePaths.operatorApplication.replace(':id', id)
}

/** The certificate and the revocation list of the sandbox's authority. Certificates name the second, so it never changes. */
export const authorityPath = '/sandbox/authority.crt'
export const crlPath = '/sandbox/authority.crl'

/** Tabs of an application's page; the first one needs no name in the path. */
export const applicationTabs = [
  'overview',
  'keys',
  'subscriptions',
  'usage',
  'calls',
  'playground',
  'alerts',
  'settings',
] as const

/** Tabs of the page of an API version; the first one needs no name in the path. */
export const versionTabs = ['reference', 'changes', 'plans'] as const

/** Sections of the operator's pages; the first one needs no name in the path. */
export const operatorSections = [
  'overview',
  'developers',
  'applications',
  'requests',
  'plans',
  'versions',
  'top-applications',
  'refusals',
  'availability',
  'sign-up',
  'audit',
  'security-events',
] as const

/** The form of a document's tag in addresses of its reference: "Card accounts" is `card-accounts`. */
export function tagSlug({ name = '' }: { readonly name?: string }): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

/** Where the reference of a version shows an operation, as the fragment of its address. */
export function operationFragment(tag: string, operationId: string): string {
  return `#tag/${tagSlug({ name: tag })}/${operationId}`
}

/** With more operations, a reference takes longer to arrive than a reader of one operation wants to wait. */
const operationsMax = 100

/**
 * Whether a page gets the reference of a version in parts: one operation at a
 * time. A short reference loads whole, so the next operation appears at once.
 */
export function isLongReference(version: { readonly operations: readonly unknown[] }): boolean {
  return version.operations.length > operationsMax
}
