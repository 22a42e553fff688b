import { membersOf } from '../../portal/documents/document-nodes.ts'
import { parseJson } from '../parse-json.ts'
import { type CallDraft, callHeaders, callUrl } from './call-draft.ts'

/** The result of a call made by this page. */
export type CallAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly statusText: string
      readonly ms: number
      /** Those that the gateway exposes to pages of another origin. */
      readonly headers: readonly (readonly [name: string, value: string])[]
      readonly mediaType: string
      readonly body: string
    }
  /** The response began, and its connection broke off before its end. */
  | { readonly kind: 'brokenOff'; readonly status: number }
  /** A value that the browser does not send, for example a header with a line break. */
  | { readonly kind: 'unsendable' }
  /** No response, or none that the browser lets this page read. */
  | { readonly kind: 'unreachable' }

export interface SendCallOptions {
  readonly gatewayUrl: string
  readonly draft: CallDraft
  readonly key: string
}

/** Sends the call to the gateway. Never throws: failures are part of the result. */
export async function sendCall({ gatewayUrl, draft, key }: SendCallOptions): Promise<CallAnswer> {
  const request = browserRequest({ gatewayUrl, draft, key })
  if (request === undefined) return { kind: 'unsendable' }
  const start = performance.now()
  let begun: number | undefined
  try {
    const response = await fetch(request)
    begun = response.status
    const body = await response.text()
    return {
      kind: 'answered',
      status: response.status,
      statusText: response.statusText,
      ms: performance.now() - start,
      headers: [...response.headers],
      mediaType: response.headers.get('content-type')?.split(';')[0] ?? '',
      body,
    }
  } catch {
    return begun === undefined ? { kind: 'unreachable' } : { kind: 'brokenOff', status: begun }
  }
}

/** Whether the gateway refused a call because its key does not work. An API may answer much the same. */
export function isKeyRefused(answer: CallAnswer): boolean {
  if (answer.kind !== 'answered' || answer.status !== 401) return false
  const { code, type } = membersOf(parseJson(answer.body))
  return (
    answer.mediaType === 'application/problem+json' &&
    code === 'KEY_INVALID' &&
    String(type).endsWith('/problems/KEY_INVALID')
  )
}

/**
 * Visible ASCII, spaces and tabs. Browsers also send other characters, which
 * the gateway's parser refuses without a response that this page may read.
 */
const headerText = /^[\t\x20-\x7e]*$/

function browserRequest({ gatewayUrl, draft, key }: SendCallOptions): Request | undefined {
  const { shape, body } = draft
  const headers = callHeaders(draft, key).map(([name, value]): [string, string] => [name, value])
  if (!headers.every(([, value]) => headerText.test(value))) return undefined
  const hasBody = shape.body !== undefined && body !== '' && shape.method !== 'GET'
  try {
    return new Request(callUrl(gatewayUrl, draft), {
      method: shape.method,
      headers,
      ...(hasBody ? { body } : {}),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
    })
  } catch {
    return undefined
  }
}
