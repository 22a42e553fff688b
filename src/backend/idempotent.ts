import { createHash } from 'node:crypto'
import type { Bank } from './bank.ts'
import type { BankAnswer, BankCall } from './bank-call.ts'
import { formatError } from './bank-error.ts'
import type { Stores } from './stores/bank-stores.ts'

/**
 * Serves a POST once per TPP, path and X-Request-ID: what it makes and the
 * answer to it are one transaction, and a repetition within a day gets the same
 * answer. Of two at the same time one waits for the other. What depends on the
 * clock belongs into `work`: a repetition after midnight is no new request.
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
      // Written by the line below, at most a day ago.
      return JSON.parse(earlier.answer) as BankAnswer
    }
    const answer = await work(stores)
    await stores.idempotency.storeAnswer(key, JSON.stringify(answer))
    return answer
  })
}
