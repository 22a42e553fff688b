import type { Words } from '../../messages/format.ts'
import { parseJson } from '../parse-json.ts'
import { laidOutJson } from './json-text.ts'

/** The parts of a response needed to show its body. */
interface Bodied {
  readonly mediaType: string
  readonly body: string
}

const charactersMax = 20_000
/** A larger body is not indented, because that would block the page. */
const charactersLaidOutMax = 1_000_000

/** Whether a media type is JSON, `+json` types included. */
export function isJson(mediaType: string): boolean {
  return /[/+]json$/.test(mediaType)
}

/** The body for reading: indents JSON and cuts long text; `cutAt` is the number of characters kept. */
export function readableBody({ mediaType, body }: Bodied): { text: string; cutAt?: number } {
  const text = isJson(mediaType) ? laidOut(body) : body
  if (text.length <= charactersMax) return { text }
  return { text: `${text.slice(0, charactersMax)}…`, cutAt: charactersMax }
}

/** The parts of a problem (RFC 9457) that explain it; undefined for other bodies. */
export function problemIn(
  { mediaType, body }: Bodied,
  words: Words,
): { readonly title?: string; readonly detail: string; readonly code?: string } | undefined {
  if (mediaType !== 'application/problem+json') return undefined
  const problem = parseJson(body)
  if (typeof problem !== 'object' || problem === null) return undefined
  const member = (name: string): string => {
    const value: unknown = Reflect.get(problem, name)
    return typeof value === 'string' ? value : ''
  }
  const code = member('code')
  const title = member('title')
  return {
    ...(title === '' ? {} : { title }),
    detail: member('detail'),
    ...(isGatewayProblem(code, member('type'), words) ? { code } : {}),
  }
}

/** Whether a problem is the gateway's: APIs have codes of their own, and only the gateway's have a page at the portal. */
export function isGatewayProblem(code: string, type: string, { knows }: Words): boolean {
  const isOfPortal = type.endsWith(`/problems/${code}`) || type.startsWith('https://iana.org/')
  return isOfPortal && knows(`error.${code}.title`)
}

function laidOut(json: string): string {
  if (json.length > charactersLaidOutMax) return json
  return parseJson(json) === undefined ? json : laidOutJson(json, charactersMax)
}
