import { createHash } from 'node:crypto'
import type { Bank } from './bank.ts'
import type { BankAnswer, BankCall } from './bank-call.ts'
import { formatError } from './bank-error.ts'
import type { Stores } from './stores/bank-stores.ts'

/**
 * Serves a POST once per TPP, path and X-Request-ID. One transaction stores the
 * resource and the answer, and a repetition within a day gets the same answer.
 * Of two simultaneous repetitions, one waits for the other. A check that depends
 * on the clock belongs in `work`: a repetition after midnight is not a new request.
 *
 * @throws {BankError} 400 FORMAT_ERROR when the id was used with another body
 */
export async function idempotent(
  bank: Pick<Bank, 'stores'>,
  call: BankCall,
  work: (stores: Stores) => Promise<BankAnswer>,
): Promise<BankAnswer> {
  const key = {
    applicationId: call.applicationId,
    path: call.target.split('?')[0] ?? '',
    requestId: call.requestId,
  }
  const bodySha256 = createHash('sha256').update(call.rawBody).digest()
  return bank.stores.transaction(async (stores) => {
    const earlier = await stores.idempotency.take(key, bodySha256, new Date(call.now))
    if (earlier !== undefined) {
      if (!earlier.bodySha256.equals(bodySha256)) {
        throw formatError('X-Request-ID', 'This id was used for a request with another body')
      }
      // `storeAnswer` below wrote it, at most a day ago.
      return JSON.parse(earlier.answer) as BankAnswer
    }
    const answer = await work(stores)
    await stores.idempotency.storeAnswer(key, JSON.stringify(answer))
    return answer
  })
}
