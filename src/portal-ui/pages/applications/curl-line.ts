import { type CallDraft, callHeaders, callUrl } from './call-draft.ts'

/** The call as one command for a POSIX shell; works as pasted, whatever characters the values hold. */
export function curlLine(gatewayUrl: string, draft: CallDraft, key: string): string {
  const { method } = draft.shape
  const words = ['curl', '-i']
  if (method !== 'GET') words.push('-X', method)
  // Braces and brackets are no patterns here: the address means what it says.
  words.push('-g', quoted(callUrl(gatewayUrl, draft)))
  for (const [name, value] of callHeaders(draft, key)) words.push('-H', quoted(`${name}: ${value}`))
  if (draft.shape.body !== undefined && draft.body !== '') {
    words.push('--data-raw', quoted(compact(draft.body)))
  }
  return words.join(' ')
}

/** Single quotes hold everything but themselves. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function compact(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return json
  }
}
