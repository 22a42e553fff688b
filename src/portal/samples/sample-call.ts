// This folder writes a call as source code. Read this file first: it says what a call to show has. `curl-sample.ts`,
// `python-sample.ts` and `node-sample.ts` write it, and `sample-languages.ts` lists them: a new language is a file and
// a row. The page uses these files, too, so they import nothing of the portal.

/**
 * A piece of a text: a literal, an environment variable that the reader
 * sets, or a value that every run makes afresh. `short` has 8 hex digits.
 */
export type SamplePart =
  | string
  | { readonly variable: string }
  | { readonly fresh: 'uuid' | 'short' }

/** Pieces that make one text together. */
export type SampleText = readonly SamplePart[]

/** A JSON value whose texts may have parts that only the run knows. */
export type SampleValue =
  | { readonly kind: 'text'; readonly text: SampleText }
  | { readonly kind: 'constant'; readonly value: null | boolean | number }
  | { readonly kind: 'list'; readonly items: readonly SampleValue[] }
  | { readonly kind: 'object'; readonly members: readonly SampleMember[] }

export type SampleMember = readonly [name: string, value: SampleValue]

/** A header field. */
export type SampleField = readonly [name: string, value: SampleText]

/** A call to show as source code; the same to the same address for each of several bodies. */
export interface SampleCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Absolute, with path and query filled in. */
  readonly url: SampleText
  /** In the order they are shown. Content-Type is not among them: it follows from the body. */
  readonly headers: readonly SampleField[]
  /** JSON bodies, sent one after another; empty for one call without a body. */
  readonly bodies: readonly SampleValue[]
  /** Lines of comment before the call. */
  readonly before: readonly string[]
  /** Lines of comment after it. */
  readonly after: readonly string[]
}
