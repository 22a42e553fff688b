/** One row of the error table: the HTTP status, the title of the problem and the text of its page. */
export interface ErrorRow {
  readonly status: number
  readonly title: string
  /**
   * What happened and what the caller can do about it; printed on the page
   * `<portal>/problems/<code>`. Names are in backticks, lists as in Markdown.
   */
  readonly help: string
}

/**
 * Every error that Tollgate itself sends. Codes are part of the public
 * interface: never rename or reuse one. Only this table holds their status,
 * title and help.
 */
export const errors = {
  TARGET_INVALID: {
    status: 400,
    title: 'The request target is not canonical',
    help: 'Send the path as published, with single slashes, no dot segments and no semicolon. Percent-encode values of path parameters in UTF-8: they may contain everything but `/`, `\\`, `;`, `?`, `#`, `%` and invisible characters, and have at most 512 characters once encoded. Encode fixed parts of the path only where they need it.',
  },
  HEADERS_INVALID: {
    status: 400,
    title: 'A request header is not valid',
    help: 'A header is malformed, appears twice or has a name that the gateway does not allow, for example with an underscore. Send the API key exactly once. `Sandbox-Drill` is only for a gateway with a sandbox; there, the detail lists its values.',
  },
  FRAMING_INVALID: {
    status: 400,
    title: 'The HTTP message is not well-formed',
    help: 'The request is not well-formed HTTP/1.1, or has a body although its method takes no body. Use a standard HTTP client and send either one `Content-Length` or chunked encoding. A chunked body may have at most 16 KiB of chunk extensions, and not thousands of tiny chunks.',
  },
  UPGRADE_REFUSED: {
    status: 400,
    title: 'Protocol upgrades are not supported',
    help: 'Send the request without an `Upgrade` header.',
  },
  KEY_MISSING: {
    status: 401,
    title: 'The API key is missing',
    help: 'Send your API key in the header `X-API-Key` (or its alias `X-IBM-Client-Id`). The gateway does not accept keys in the query string.',
  },
  KEY_INVALID: {
    status: 401,
    title: 'The API key is not valid',
    help: 'The key is unknown, malformed, expired or revoked. Check the key you send, or create a new one on the portal.',
  },
  CLIENT_CERTIFICATE_MISSING: {
    status: 401,
    title: 'The client certificate is missing',
    help: 'This gateway accepts calls only over connections with a client certificate (QWAC), at least for applications that have added one. Add the certificate to your application on the portal and configure your HTTP client to use it with its private key.',
  },
  CLIENT_CERTIFICATE_INVALID: {
    status: 401,
    title: 'The client certificate is not valid',
    help: 'The detail says why. For example, the bank does not trust the issuing authority, the certificate is not meant for TLS clients, its key or signature is too weak, or it is not added to the application of your API key. You add certificates to an application on the portal.',
  },
  CLIENT_CERTIFICATE_EXPIRED: {
    status: 401,
    title: 'The client certificate has expired',
    help: 'Get a new certificate, add it to your application on the portal and connect with it. An application may have two certificates for TLS at a time, so you can switch to the new one without a gap.',
  },
  CLIENT_CERTIFICATE_REVOKED: {
    status: 401,
    title: 'The client certificate is revoked',
    help: 'The authority that issued the certificate has revoked it. Ask that authority for a new one.',
  },
  CLIENT_CERTIFICATE_BLOCKED: {
    status: 401,
    title: 'The client certificate is blocked',
    help: 'The operator of this gateway does not accept the certificate. Contact the operator.',
  },
  CLIENT_ROLE_INVALID: {
    status: 403,
    title: 'The client certificate does not have the role for this operation',
    help: 'The field `role` names the PSD2 role that the operation needs, for example `PSP_AI` for account information or `PSP_PI` for payments. Use a certificate with this role.',
  },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    title: 'The API key may not be used from this address',
    help: 'The key has a list of allowed addresses, and the call came from another one. Call from a listed address, or change the list on the portal.',
  },
  NOT_SUBSCRIBED: {
    status: 403,
    title: 'The application has no active subscription to this API version',
    help: 'Subscribe the application to this version of the API, then call again. If the detail says that the operator withdrew your plan, choose another plan on the portal.',
  },
  APPLICATION_SUSPENDED: {
    status: 403,
    title: 'The application is suspended',
    help: 'An operator has suspended the application. Its keys work again as soon as the operator resumes it.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'There is nothing at this path',
    help: 'Compare the path and its version prefix with the reference. Paths are case-sensitive. The field `didYouMean` names the published path closest to yours. On the portal you also get this error for a resource that belongs to another developer.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The path does not have this method',
    help: 'The `Allow` header lists the methods of this path. APIs do not offer `HEAD` and `OPTIONS`.',
  },
  OPERATION_NOT_IN_VERSION: {
    status: 405,
    title: 'This version does not have the operation',
    help: 'Other versions of the API have it; the field `availableIn` lists them.',
  },
  VERSION_RETIRED: {
    status: 410,
    title: 'This API version is retired',
    help: 'Move to the version named in the field `successor`.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request did not arrive in time',
    help: 'Send the headers within 10 seconds and the body within another 20 seconds, without long pauses. The call does not count against your limit.',
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
    title: 'The gateway cannot meet the expectation',
    help: 'The `Expect` header may only ask for `100-continue`.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The request headers are too large',
    help: 'Send at most 100 headers, with at most 16 KiB in total.',
  },
  QUOTA_EXCEEDED: {
    status: 429,
    title: 'No calls left until the limit resets',
    help: 'Wait for the number of seconds in `Retry-After`. If you need more calls, choose a larger plan, if the portal offers one, or press "Ask for more calls" under Usage of your application. The response says which limit it is:\n\n- `operation`: the operation\n- `limit`: its number of calls\n- `windowSeconds`: the length of time in which they count\n- `resetsAt`: when the limit resets and you have all calls again',
  },
  CONCURRENCY_EXCEEDED: {
    status: 429,
    title: 'Too many calls at the same time',
    help: 'Wait for responses before you send more calls. Try again after the time in `Retry-After`. This call does not count against your limit.',
  },
  ATTEMPTS_EXCEEDED: {
    status: 429,
    title: 'Too many attempts',
    help: 'Your network sent too many invalid API keys or passwords or requested too many emails, or you made too many changes, ready consents or drills (`Sandbox-Drill`). Wait for the number of seconds in `Retry-After`. In the meantime, the gateway still accepts valid API keys, so check your key first.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'An unexpected error occurred',
    help: 'The fault is on our side. Send the operator the identifier in the field `instance`.',
  },
  NOT_IMPLEMENTED: {
    status: 501,
    title: 'The method or transfer coding is not supported',
    help: 'Use the methods in the reference. The only transfer coding is `chunked`.',
  },
  BACKEND_UNREACHABLE: {
    status: 502,
    title: 'The gateway could not reach the API',
    help: 'The call counts against your limit. Try again after the time in `Retry-After`.',
  },
  BACKEND_BAD_RESPONSE: {
    status: 502,
    title: 'The API sent no valid response',
    help: 'The call counts against your limit and may have had an effect. Read the resource before you repeat the call.',
  },
  COUNTERS_UNAVAILABLE: {
    status: 503,
    title: 'The gateway could not count the call',
    help: 'The gateway cannot reach its counters, and your plan does not allow uncounted calls. Try again after the time in `Retry-After`.',
  },
  REGISTRY_UNAVAILABLE: {
    status: 503,
    title: 'The gateway could not check the API key',
    help: 'The gateway cannot reach its database. Your key may well be valid: keep it and try again after the time in `Retry-After`.',
  },
  REVOCATION_UNAVAILABLE: {
    status: 503,
    title: 'The gateway could not check whether the client certificate is revoked',
    help: 'The fault is on our side: the gateway has no current list of revoked certificates. Your certificate may well be valid: keep it and try again after the time in `Retry-After`.',
  },
  OVERLOADED: {
    status: 503,
    title: 'The service is at capacity',
    help: 'Too many requests are in progress. Try again after the time in `Retry-After`.',
  },
  BACKEND_TIMEOUT: {
    status: 504,
    title: 'The API did not respond in time',
    help: 'The call counts against your limit and may have had an effect. Read the resource before you repeat the call.',
  },
  HTTP_VERSION: {
    status: 505,
    title: 'This HTTP version is not supported',
    help: 'Use HTTP/1.1.',
  },
  LOOP: {
    status: 508,
    title: 'The call came back to the gateway',
    help: 'A proxy sends calls from the gateway back to the gateway. The operator must correct the address of the backend.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The portal cannot reach its data',
    help: 'Try again after the time in `Retry-After`. If you were changing something, first check whether the change was made. Calls through the gateway continue to work.',
  },
  INPUT_INVALID: {
    status: 400,
    title: 'The input is not valid',
    help: 'The field `errors` lists each invalid value with its path and the rule it breaks.',
  },
  SESSION_REQUIRED: {
    status: 401,
    title: 'Sign in first',
    help: 'You are not signed in, or your session has ended. Sign in and try again.',
  },
  CREDENTIALS_INVALID: {
    status: 401,
    title: 'Email and password do not match',
    help: 'Check both. After many wrong passwords in a row, the portal accepts the right one only in browsers that you have used before. In another browser, request a reset link and choose a new password.',
  },
  STEP_UP_REQUIRED: {
    status: 403,
    title: 'Confirm that it is you',
    help: 'This change needs a proof of your identity that is at most ten minutes old. The pages of the portal ask you for it. A program calls `POST /api/session/challenge`, which lists the proofs that your account accepts, sends one to `POST /api/session/proof` and repeats the request.',
  },
  SECOND_FACTOR_INVALID: {
    status: 401,
    title: 'The second factor does not match',
    help: 'Codes from an authenticator app change every 30 seconds, and each works once. Enter the next one, and check that the clock of your device is right. Recovery codes work once, too. A passkey works only at the address of the portal where you created it.',
  },
  CHALLENGE_EXPIRED: {
    status: 400,
    title: 'This step has expired',
    help: 'You have five minutes and five tries to enter the second factor after the password, and 30 minutes and five tries to confirm a new one. Start again.',
  },
  ENROLMENT_REQUIRED: {
    status: 403,
    title: 'You need a second factor',
    help: 'Your account has no second factor yet. If you can sign in, add one in your profile. Operators ask the person who runs this gateway for an enrolment link. The command `tollgate operator reset-factor` prints one.',
  },
  PROVIDER_UNAVAILABLE: {
    status: 503,
    title: 'The sign-in service does not respond',
    help: 'The portal could not reach the service that you sign in with, or got no usable response from it. Try again in a minute. If the problem continues, contact the operator of this gateway.',
  },
  PROVIDER_REFUSED: {
    status: 403,
    title: 'The sign-in was not accepted',
    help: 'The portal could not accept the response of the sign-in service. The detail says why. If you cancelled the sign-in or took too long, start again.',
  },
  APPROVAL_PENDING: {
    status: 403,
    title: 'An operator must approve the account first',
    help: 'We will email you as soon as an operator has approved your account.',
  },
  DEVELOPER_SUSPENDED: {
    status: 403,
    title: 'The account is suspended',
    help: 'An operator has suspended your account and all its applications. Contact the operator of this gateway.',
  },
  SIGN_UP_CLOSED: {
    status: 403,
    title: 'Sign-up is closed at the moment',
    help: 'Contact the operator of this gateway, or try again later.',
  },
  LINK_INVALID: {
    status: 400,
    title: 'The link is no longer valid',
    help: 'Links in our emails work once, within ten minutes; enrolment links for operators work once, within an hour. Request a new link.',
  },
  CROSS_SITE: {
    status: 403,
    title: 'The request came from another site',
    help: 'The portal accepts changes only from its own pages. Open the portal and repeat the action there.',
  },
  CONFLICT: {
    status: 409,
    title: 'The current state does not allow this',
    help: 'The detail says what prevents it.',
  },
} as const satisfies Record<string, ErrorRow>

/** A code of the table, upper snake case. */
export type ErrorCode = keyof typeof errors
