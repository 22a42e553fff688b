import type { RequestFields } from './request/request-fields.ts'

/**
 * The fields that may reach the backend, without those that the client's `Connection` names; alternating names and values.
 */
export function forwardedFields({
  connection,
  forwarded,
}: Pick<RequestFields, 'connection' | 'forwarded'>): readonly string[] {
  const named = connectionNames(connection)
  return named === undefined ? forwarded : withoutNamed(forwarded, named)
}

/** A header block (alternating names and values) without the fields of these lower-case names. */
export function withoutNamed(block: readonly string[], named: ReadonlySet<string>): string[] {
  return block.filter((_, at) => !named.has((block[at - (at % 2)] ?? '').toLowerCase()))
}

/**
 * Names listed in `Connection`, in lower case. Content-Length and X-Request-ID
 * stay even if listed, because the gateway decides the framing and the id of a
 * call.
 */
export function connectionNames(field: string | undefined): ReadonlySet<string> | undefined {
  if (field === undefined || field === 'keep-alive' || field === 'close') return undefined
  const names = new Set(field.split(',').map((name) => name.trim().toLowerCase()))
  names.delete('content-length')
  names.delete('x-request-id')
  return names
}
