import type { ErrorCode } from '../../src/platform/http/errors.ts'

/** The part of a message that an input attacks; one row of the results table each. */
export const kinds = [
  'path',
  'method',
  'framing',
  'head',
  'field',
  'key',
  'size',
  'pipeline',
  'answer',
] as const
export type Kind = (typeof kinds)[number]

/**
 * The required outcome of one request:
 *
 * - `forwarded`: exactly this operation is counted and reaches the backend, once, and its answer comes back;
 * - `tolerated`: the same, though a strict reader would refuse the input (decision 20);
 * - `refused`: any error of the gateway; nothing is counted, nothing reaches the backend;
 * - `cut`: reaches the backend once; the answer begins and visibly ends too early;
 * - `408`, `400 TARGET_INVALID`: rejected with this status, and with this code if one is given;
 * - `reached 502`: counted and at the backend once, and then answered with this status;
 * - `own 204`: answered by the gateway itself.
 */
export type Outcome =
  | 'forwarded'
  | 'tolerated'
  | 'refused'
  | 'cut'
  | `${number}`
  | `${number} ${ErrorCode}`
  | `reached ${number}`
  | `own ${number}`

/**
 * One hostile input. Each part replaces a part of a well-formed request of an
 * operation, which `message.ts` writes with its placeholders; what is absent
 * stays as it is.
 */
export interface Attack {
  readonly kind: Kind
  /** Why it could do harm. */
  readonly why: string
  /** The outcome, or of a pipeline the outcome of each request. */
  readonly expected: Outcome | readonly Outcome[]
  /** Whether the connection must end with the answer. (Default: it may; if so, the answer must announce it.) */
  readonly mustClose?: boolean
  /** Requests (by index) that may be answered with 100 Continue first. (Default: none) */
  readonly continued?: readonly number[]
  readonly method?: string
  readonly target?: string
  /** Request line with its line end. */
  readonly line?: string
  /** Whole lines, each with its end, in place of `Host`. */
  readonly host?: string
  /** Whole lines, each with its end, in place of `X-API-Key`. */
  readonly key?: string
  /** Whole lines, each with its end, in place of `Content-Type` and `Content-Length`. */
  readonly framing?: string
  /** Further whole lines, each with its end. */
  readonly fields?: string
  readonly body?: string
  /** All octets; nothing of the well-formed request is left. */
  readonly raw?: string
  /** Value of the last path parameter. */
  readonly parameter?: string
  /** How the backend answers, by its name in `corpus/answers.ts`. */
  readonly answer?: string
  /**
   * Only operations that fit: by body, with a segment that is a parameter, with a path that ends in text, of an API with
   * an allow-list of fields, or one. (Default: all)
   */
  readonly only?: 'with body' | 'without body' | 'parameter' | 'literal' | 'allow-list' | 'one'
  /** Crosses it with this many operations instead of all that fit, each time with others. */
  readonly spread?: number
}
