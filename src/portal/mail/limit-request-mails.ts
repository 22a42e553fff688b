import type { Kysely } from 'kysely'
import { isDigestDue, lockDigest, takeDigest } from '../stores/alerts/limit-request-digest.ts'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { RegistryTransaction } from '../../registry/transaction.ts'
import type { Outbox } from './outbox.ts'

interface LimitRequestMailsOptions {
  readonly db: Kysely<RegistrySchema>
  readonly outbox: Pick<Outbox, 'post'>
}

/** Tells operators of requests for more calls that came within an hour of the last mail. */
export function createLimitRequestMails({ db, outbox }: LimitRequestMailsOptions) {
  return {
    async run(): Promise<void> {
      if (!(await isDigestDue(db))) return
      await db.transaction().execute(async (trx) => {
        await lockDigest(trx)
        await tellOperators(trx, outbox)
      })
    },
  }
}

/** Writes each operator one mail about all requests that wait, at most one an hour, under the lock of the digest. */
export async function tellOperators(
  trx: RegistryTransaction,
  outbox: Pick<Outbox, 'post'>,
): Promise<void> {
  for (const { email, ...facts } of await takeDigest(trx)) {
    await outbox.post(trx, { kind: 'limit-requested', ...facts }, email)
  }
}
