import type { MessageId } from '../../messages/format.ts'
import { wordsOf } from '../../messages/words.ts'
import { isUuid } from '../../platform/database/uuid.ts'
import type { ErrorCode } from '../../platform/http/errors.ts'
import type { PageLook } from './page-look.ts'
import { callRecordPath, pagePaths } from './page-paths.ts'

/** Where a reader continues from the page of an error. */
export interface NextStep {
  readonly href: string
  /** Plain text. */
  readonly label: string
}

type Step =
  | 'usage'
  | 'keys'
  | 'subscriptions'
  | 'certificates'
  | 'reference'
  | 'retry'
  | 'signIn'
  | 'profile'
  | 'support'

const steps: Readonly<Record<ErrorCode, Step>> = {
  TARGET_INVALID: 'reference',
  HEADERS_INVALID: 'reference',
  FRAMING_INVALID: 'reference',
  UPGRADE_REFUSED: 'reference',
  KEY_MISSING: 'keys',
  KEY_INVALID: 'keys',
  CLIENT_CERTIFICATE_MISSING: 'certificates',
  CLIENT_CERTIFICATE_INVALID: 'certificates',
  CLIENT_CERTIFICATE_EXPIRED: 'certificates',
  CLIENT_CERTIFICATE_REVOKED: 'certificates',
  CLIENT_CERTIFICATE_BLOCKED: 'support',
  CLIENT_ROLE_INVALID: 'certificates',
  ADDRESS_NOT_ALLOWED: 'keys',
  NOT_SUBSCRIBED: 'subscriptions',
  APPLICATION_SUSPENDED: 'support',
  NOT_FOUND: 'reference',
  METHOD_NOT_ALLOWED: 'reference',
  OPERATION_NOT_IN_VERSION: 'reference',
  VERSION_RETIRED: 'reference',
  REQUEST_TIMEOUT: 'retry',
  BODY_TOO_LARGE: 'reference',
  TARGET_TOO_LONG: 'reference',
  EXPECTATION_FAILED: 'reference',
  HEADERS_TOO_LARGE: 'reference',
  QUOTA_EXCEEDED: 'usage',
  CONCURRENCY_EXCEEDED: 'usage',
  ATTEMPTS_EXCEEDED: 'keys',
  INTERNAL_ERROR: 'support',
  NOT_IMPLEMENTED: 'reference',
  BACKEND_UNREACHABLE: 'retry',
  BACKEND_BAD_RESPONSE: 'retry',
  COUNTERS_UNAVAILABLE: 'retry',
  REGISTRY_UNAVAILABLE: 'retry',
  REVOCATION_UNAVAILABLE: 'retry',
  OVERLOADED: 'retry',
  BACKEND_TIMEOUT: 'retry',
  HTTP_VERSION: 'reference',
  LOOP: 'support',
  STORE_UNAVAILABLE: 'retry',
  INPUT_INVALID: 'reference',
  SESSION_REQUIRED: 'signIn',
  CREDENTIALS_INVALID: 'signIn',
  STEP_UP_REQUIRED: 'profile',
  SECOND_FACTOR_INVALID: 'signIn',
  CHALLENGE_EXPIRED: 'signIn',
  ENROLMENT_REQUIRED: 'profile',
  PROVIDER_UNAVAILABLE: 'signIn',
  PROVIDER_REFUSED: 'signIn',
  APPROVAL_PENDING: 'reference',
  DEVELOPER_SUSPENDED: 'support',
  SIGN_UP_CLOSED: 'support',
  LINK_INVALID: 'signIn',
  CROSS_SITE: 'signIn',
  CONFLICT: 'reference',
}

const places = {
  usage: { href: pagePaths.applications, word: 'problemPage.usage' },
  keys: { href: pagePaths.applications, word: 'problemPage.keys' },
  subscriptions: { href: pagePaths.applications, word: 'problemPage.subscriptions' },
  certificates: { href: pagePaths.applications, word: 'problemPage.certificates' },
  reference: { href: pagePaths.landing, word: 'problemPage.reference' },
  retry: { href: `${pagePaths.guides}/errors#should-you-try-again`, word: 'problemPage.retry' },
  signIn: { href: pagePaths.signIn, word: 'shell.signIn' },
  profile: { href: pagePaths.profile, word: 'problemPage.profile' },
} as const satisfies Record<Exclude<Step, 'support'>, { href: string; word: MessageId }>

/**
 * The next step after an error: the record of the call if its id is given, else
 * what the code is about. A developer's pages ask visitors to sign in. Without
 * an address for support, the section of the code in the guide to errors.
 */
export function nextStep(
  code: ErrorCode,
  callId: string | undefined,
  { language, brand }: PageLook,
): NextStep {
  const { t } = wordsOf(language)
  const id = callId?.toLowerCase()
  if (id !== undefined && isUuid(id)) {
    return { href: callRecordPath(id), label: t('problemPage.call') }
  }
  const step = steps[code]
  if (step === 'support') {
    return brand.support === null
      ? { href: `${pagePaths.guides}/errors#${code}`, label: t('problemPage.guide') }
      : { href: brand.support, label: t('problemPage.support') }
  }
  const { href, word } = places[step]
  return { href, label: t(word) }
}
