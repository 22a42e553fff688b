import type { Catalogue } from '../../../catalogue/catalogue.ts'
import { operationObject } from '../../../catalogue/operation-object.ts'
import { createSpellings } from '../spellings.ts'

/** End-to-end fields of HTTP itself (RFC 9110, 9530, 9421) and of tracing (W3C Baggage). */
const standard = [
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'authorization',
  'baggage',
  'cache-control',
  'content-digest',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'origin',
  'pragma',
  'prefer',
  'range',
  'referer',
  'repr-digest',
  'signature-input',
  'user-agent',
]

/** Whether a client's field with this name, in any spelling, may reach the backend. */
export type PassesField = (spelled: string) => boolean

/**
 * Decides by an allow-list which request fields reach the backend: those of
 * HTTP and tracing, the header parameters of every published operation, and
 * `extra` (FORWARD_HEADERS). A backend may trust any other field to come from
 * its own edge, so clients must not be able to set one.
 */
export function createPassingFields(
  extra: readonly string[],
): (catalogue: Catalogue) => PassesField {
  const known = new WeakMap<Catalogue, PassesField>()
  return (catalogue) => {
    let passes = known.get(catalogue)
    if (passes === undefined) {
      const names = new Set([...standard, ...published(catalogue), ...extra].map(folded))
      passes = createSpellings((name) => names.has(name))
      known.set(catalogue, passes)
    }
    return passes
  }
}

/** Names of the header parameters in the documents. */
function published({ versions }: Catalogue): string[] {
  return [...versions.values()].flatMap(({ document, operations }) =>
    operations.flatMap(({ template, method }) =>
      (operationObject(document, template, method)?.parameters ?? [])
        .filter((parameter) => parameter.in === 'header')
        .map(({ name }) => name),
    ),
  )
}

function folded(name: string): string {
  return name.toLowerCase()
}
