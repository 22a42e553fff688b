import type { Refusal } from '../../../platform/http/problem.ts'

/** Refuses a body above the limit, BODY_BYTES_MAX. */
export function bodyTooLarge(bodyBytesMax: number): Refusal {
  return {
    code: 'BODY_TOO_LARGE',
    detail: `A request body may have at most ${bodyBytesMax} bytes.`,
  }
}
