import { type CallDraft, callHeaders, callUrl } from './call-draft.ts'
import { compactJson } from './json-text.ts'

/**
 * The call as one command for a POSIX shell, an option a line; works as
 * pasted, whatever characters the values hold.
 */
export function curlLine(gatewayUrl: string, draft: CallDraft, key: string): string {
  const { method, body: documented } = draft.shape
  // Braces and brackets are no patterns here: the address means what it says.
  const options = [`curl -i -g -X ${method} ${quoted(callUrl(gatewayUrl, draft))}`]
  for (const [name, value] of callHeaders(draft, key)) {
    options.push(`-H ${quoted(`${name}: ${value}`)}`)
  }
  if (documented !== undefined && draft.body !== '') {
    options.push(`--data-raw ${quoted(compact(draft.body))}`)
  }
  return options.join(' \\\n  ')
}

/** Single quotes hold everything but themselves. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function compact(json: string): string {
  try {
    JSON.parse(json)
    return compactJson(json)
  } catch {
    return json
  }
}
