import { type CallDraft, callHeaders, callUrl } from './call-draft.ts'

/** What came back of a call made by this page. */
export type CallAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly statusText: string
      readonly ms: number
      /** As far as the gateway lets a page of another origin read them. */
      readonly headers: readonly (readonly [name: string, value: string])[]
      readonly mediaType: string
      readonly body: string
    }
  /** A value the browser does not send, such as a line break in a header. */
  | { readonly kind: 'unsendable' }
  /** No answer, or none the browser lets this page read. */
  | { readonly kind: 'unreachable' }

export interface SendCallOptions {
  readonly gatewayUrl: string
  readonly draft: CallDraft
  readonly key: string
}

/** Sends the call to the gateway. Never throws: what can go wrong is part of the answer. */
export async function sendCall({ gatewayUrl, draft, key }: SendCallOptions): Promise<CallAnswer> {
  const request = browserRequest({ gatewayUrl, draft, key })
  if (request === undefined) return { kind: 'unsendable' }
  const start = performance.now()
  try {
    const response = await fetch(request)
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
    return { kind: 'unreachable' }
  }
}

/** Visible ASCII, spaces and tabs: browsers send more, and the gateway's parser refuses it without a word this page may read. */
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
