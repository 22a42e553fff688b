import type { SampleCall, SamplePart, SampleValue } from '../../portal/samples/sample-call.ts'
import { sampleValue } from '../../portal/samples/sample-value.ts'
import { type CallDraft, callHeaders, callUrl, keyHeader } from './call-draft.ts'
import { requestIdHeader } from './call-shape.ts'

export interface SampleOptions {
  readonly gatewayUrl: string
  readonly draft: CallDraft
  /** The key itself, or the variable that holds it. */
  readonly key: SamplePart
  /** Replaces the request id of the draft, for code that runs more than once. */
  readonly requestId?: SamplePart
}

/** Converts a draft for the sample languages of the reference; undefined while its body is not JSON. */
export function sampleOfDraft(options: SampleOptions): SampleCall | undefined {
  const { gatewayUrl, draft, key, requestId } = options
  const method = methods.find((each) => each === draft.shape.method)
  const bodies = bodiesOf(draft)
  if (method === undefined || bodies === undefined) return undefined
  const headers = callHeaders(draft, '').flatMap(([name, value]) => {
    // The samples derive it from the body.
    if (name === 'Content-Type') return []
    if (name === keyHeader) return [[name, [key]] as const]
    const isFresh = name === requestIdHeader && requestId !== undefined
    return [[name, [isFresh ? requestId : value]] as const]
  })
  return { method, url: [callUrl(gatewayUrl, draft)], headers, bodies, before: [], after: [] }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function bodiesOf({ shape, body }: CallDraft): readonly SampleValue[] | undefined {
  if (shape.body === undefined || body.trim() === '') return []
  if (shape.body.mediaType !== 'application/json') return undefined
  try {
    return [sampleValue(JSON.parse(body))]
  } catch {
    return undefined
  }
}
