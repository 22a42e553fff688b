/** One row of the error table: the HTTP status, the title of the problem and what its page tells the caller. */
export interface ErrorRow {
  readonly status: number
  readonly title: string
  /** What happened and what the caller can do about it, as the page `<portal>/problems/<code>` prints it. */
  readonly help: string
}

/**
 * Every error Tollgate itself answers with. Codes are part of the public
 * interface: never renamed, never reused. Status and title are said here and
 * nowhere else.
 */
export const errors = {
  TARGET_INVALID: {
    status: 400,
    title: 'The request target is not canonical',
    help: 'Send the path exactly as published: no percent-encoding, no empty or dot segments, no trailing slash, no parameters after a semicolon. Path parameters are letters, digits, "-", ".", "_" and "~", at most 512 characters.',
  },
  HEADERS_INVALID: {
    status: 400,
    title: 'A request header is not acceptable',
    help: 'A header is doubled, malformed or has a name that is not allowed (underscores, for example). Send the API key exactly once.',
  },
  FRAMING_INVALID: {
    status: 400,
    title: 'The message framing is not acceptable',
    help: 'The request is not well-formed HTTP/1.1, or carries a body where the method has none. Use a standard HTTP client and send one Content-Length or chunked encoding.',
  },
  UPGRADE_REFUSED: {
    status: 400,
    title: 'Protocol upgrades are not offered',
    help: 'Send the request without an Upgrade header.',
  },
  KEY_MISSING: {
    status: 401,
    title: 'No API key was sent',
    help: 'Send your API key in the header X-API-Key (or its alias X-IBM-Client-Id). Keys in the query string are refused.',
  },
  KEY_INVALID: {
    status: 401,
    title: 'The API key is not valid',
    help: 'The key is unknown, malformed, expired or revoked. Create or rotate a key on the portal.',
  },
  NOT_SUBSCRIBED: {
    status: 403,
    title: 'The application is not subscribed to this API version',
    help: 'Subscribe the application to this version of the API, then call again.',
  },
  APPLICATION_SUSPENDED: {
    status: 403,
    title: 'The application is suspended',
    help: 'An operator has suspended the application. Its keys work again once it is resumed.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'There is nothing at this path',
    help: 'Compare the path and its version prefix with the reference. Paths are case-sensitive. On the portal, what does not exist and what belongs to somebody else are answered alike.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The path has no such method',
    help: 'The Allow header lists the methods of this path. HEAD and OPTIONS are no operations.',
  },
  OPERATION_NOT_IN_VERSION: {
    status: 405,
    title: 'This version does not have the operation',
    help: 'Another version of the API has it; the member availableIn names them.',
  },
  VERSION_RETIRED: {
    status: 410,
    title: 'This API version is retired',
    help: 'Move to the version named in the member successor.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request was not received in time',
    help: 'Headers must arrive within 10 seconds and the whole request within 30 seconds.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large',
    help: 'A request body may have at most 1 MiB.',
  },
  TARGET_TOO_LONG: {
    status: 414,
    title: 'The request target is too long',
    help: 'A path parameter may have at most 512 characters and the query at most 8 KiB.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'The expectation cannot be met',
    help: 'The only expectation offered is 100-continue.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The request headers are too large',
    help: 'At most 100 headers and 16 KiB in all.',
  },
  QUOTA_EXCEEDED: {
    status: 429,
    title: 'The calls of this window are used up',
    help: 'Wait as long as Retry-After says. The members operation, limit and windowSeconds say what was counted, resetsAt when the window ends. Windows are fixed: a new one begins with its full number of calls.',
  },
  ATTEMPTS_EXCEEDED: {
    status: 429,
    title: 'Too many failed attempts',
    help: 'Too many attempts with invalid credentials came from this network, or too many mails were asked for. Wait as long as Retry-After says.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'An unexpected error occurred',
    help: 'Nothing you can change. Report the instance identifier to the operator.',
  },
  NOT_IMPLEMENTED: {
    status: 501,
    title: 'The method or transfer coding is not implemented',
    help: 'Use the methods of the reference, and no transfer coding but chunked.',
  },
  BACKEND_UNREACHABLE: {
    status: 502,
    title: 'The bank service could not be reached',
    help: 'The call was counted. Try again after the time in Retry-After.',
  },
  BACKEND_BAD_RESPONSE: {
    status: 502,
    title: 'The bank service gave no valid answer',
    help: 'The call was counted and may have had an effect. Read the state of the resource before you repeat it.',
  },
  COUNTERS_UNAVAILABLE: {
    status: 503,
    title: 'The call could not be counted',
    help: 'The plan of this application does not admit uncounted calls. Try again after the time in Retry-After.',
  },
  REGISTRY_UNAVAILABLE: {
    status: 503,
    title: 'The API key could not be checked',
    help: 'Says nothing about your key. Try again after the time in Retry-After.',
  },
  OVERLOADED: {
    status: 503,
    title: 'Too much is waiting already',
    help: 'Try again after the time in Retry-After.',
  },
  BACKEND_TIMEOUT: {
    status: 504,
    title: 'The bank service did not answer in time',
    help: 'The call was counted and may have had an effect. Read the state of the resource before you repeat it.',
  },
  HTTP_VERSION: {
    status: 505,
    title: 'This HTTP version is not offered',
    help: 'Use HTTP/1.1.',
  },
  LOOP: {
    status: 508,
    title: 'The call came back to this gateway',
    help: 'A proxy forwards calls of the gateway to the gateway itself. An operator must correct the address of the backend.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The portal cannot reach its data',
    help: 'Nothing was changed, or it is not certain: look before you repeat it. Calls through the gateway go on meanwhile. Try again after the time in Retry-After.',
  },
  INPUT_INVALID: {
    status: 400,
    title: 'The input is not valid',
    help: 'The member errors lists each problem with its path and the rule it breaks.',
  },
  SESSION_REQUIRED: {
    status: 401,
    title: 'Sign in first',
    help: 'The session is missing or has ended.',
  },
  CREDENTIALS_INVALID: {
    status: 401,
    title: 'Email and password do not match',
    help: 'Check both. After many failures in a row the password is refused until it is reset by mail, so ask for a reset link when you are sure of it.',
  },
  APPROVAL_PENDING: {
    status: 403,
    title: 'An operator has to approve the account first',
    help: 'You get a mail as soon as that has happened.',
  },
  DEVELOPER_SUSPENDED: {
    status: 403,
    title: 'The account is suspended',
    help: 'An operator has suspended the account with all its applications. Ask the operator of this gateway.',
  },
  SIGN_UP_CLOSED: {
    status: 403,
    title: 'New accounts are not accepted at the moment',
    help: 'Ask the operator of this gateway, or try again later.',
  },
  LINK_INVALID: {
    status: 400,
    title: 'The link is not valid any more',
    help: 'Links from mails work once and for ten minutes. Ask for a new one.',
  },
  CROSS_SITE: {
    status: 403,
    title: 'Requests from other sites are refused',
    help: 'Open the portal itself and repeat the action there.',
  },
  CONFLICT: {
    status: 409,
    title: 'The state does not allow this',
    help: 'The detail says what is in the way.',
  },
} as const satisfies Record<string, ErrorRow>

/** A code of the table, upper snake case. */
export type ErrorCode = keyof typeof errors
