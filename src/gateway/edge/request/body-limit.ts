import type { Refusal } from '../../../platform/problem.ts'

/** Maximum octets of a request body; also enforced on bodies without a declared length. */
export const bodyBytesMax = 1_048_576

export const bodyTooLarge: Refusal = {
  code: 'BODY_TOO_LARGE',
  detail: `A request body may have at most ${bodyBytesMax} bytes.`,
}
