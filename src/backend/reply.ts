import type { BankAnswer } from './bank-call.ts'
import type { BankError } from './bank-error.ts'

/**
 * The two families of interfaces differ in the name of the error list,
 * as their documents publish it.
 */
const errorListOf: Readonly<Record<string, string>> = {
  mandate: 'apiClientMessages',
  xs2a: 'tppMessages',
}

/** Codes that one family spells in its own way. */
const spelledIn: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  xs2a: { CERTIFICATE_REVOKED: 'CERTIFICATE_REVOKE' },
}

/** An answer ready to be sent. */
export interface RenderedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: no body. */
  readonly payload: string | undefined
}

/** Renders a success. `no-store`, because every answer contains data of a customer. */
export function renderAnswer(answer: BankAnswer, requestId: string): RenderedReply {
  const payload = answer.body === undefined ? undefined : JSON.stringify(answer.body)
  return {
    status: answer.status,
    headers: {
      'x-request-id': requestId,
      'cache-control': 'no-store',
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...answer.headers,
    },
    payload,
  }
}

export interface ErrorContext {
  /** Undefined if the request calls no operation; the error then takes the newer family's form. */
  readonly api: string | undefined
  readonly requestId: string
  readonly prefersProblem: boolean
}

/** Renders an error in the form of its family, or as problem+json. The only place that does. */
export function renderError(error: BankError, context: ErrorContext): RenderedReply {
  const body = context.prefersProblem ? problem(error) : listed(error, context.api)
  return {
    status: error.status,
    headers: {
      'x-request-id': context.requestId,
      'cache-control': 'no-store',
      'content-type': context.prefersProblem ? 'application/problem+json' : 'application/json',
    },
    payload: JSON.stringify(body),
  }
}

function listed(error: BankError, api: string | undefined) {
  const list = errorListOf[api ?? 'xs2a'] ?? 'tppMessages'
  return {
    [list]: error.messages.map(({ path, text }) => ({
      category: 'ERROR',
      code: spelledIn[api ?? 'xs2a']?.[error.code] ?? error.code,
      ...(path === undefined ? {} : { path: path.slice(0, 500) }),
      text: text.slice(0, 500),
    })),
  }
}

function problem(error: BankError) {
  const [first, ...others] = error.messages
  return {
    type: `urn:tollgate:bank:${error.code}`,
    title: error.code,
    status: error.status,
    detail: describe(first),
    code: error.code,
    ...(others.length === 0
      ? {}
      : {
          additionalErrors: others.map((message) => ({
            title: error.code,
            detail: describe(message),
            code: error.code,
          })),
        }),
  }
}

function describe(message: BankError['messages'][number] | undefined): string {
  if (message === undefined) return ''
  const { path, text } = message
  return (path === undefined ? text : `${path}: ${text}`).slice(0, 500)
}
