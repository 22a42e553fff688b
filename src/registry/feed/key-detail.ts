import type { ChangeOf, KeyChangeDetail } from './change.ts'

// The table of changes keeps the detail of a key's change as texts: release 0.1.0 writes and reads it so, and processes
// of both releases work on one table during an upgrade.

export type KeyDetailTexts = { readonly [Member in keyof KeyChangeDetail]?: string }

/** A key's change as the table keeps it. */
export type KeyChangeTexts = Omit<ChangeOf<'key'>, 'detail'> & { readonly detail: KeyDetailTexts }

export function keyDetailTexts(detail: KeyChangeDetail): KeyDetailTexts {
  return Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, String(value)]))
}

export function parseKeyDetail(texts: KeyDetailTexts): KeyChangeDetail {
  const { replacedBy, byItself, mayReplaceItself, allowedAddresses } = texts
  return {
    ...(replacedBy !== undefined && { replacedBy }),
    ...(byItself !== undefined && { byItself: true as const }),
    ...(mayReplaceItself !== undefined && { mayReplaceItself: mayReplaceItself === 'true' }),
    ...(allowedAddresses !== undefined && { allowedAddresses: Number(allowedAddresses) }),
  }
}
