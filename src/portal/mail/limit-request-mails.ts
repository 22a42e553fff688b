import type { Kysely } from 'kysely'
import {
  isDigestDue,
  lockDigest,
  takeDigest,
} from '../stores/limit-requests/limit-request-digest.ts'
import type { PortalSchema, PortalTransaction } from '../stores/schema.ts'
import type { Outbox } from './outbox.ts'

interface LimitRequestMailsOptions {
  readonly db: Kysely<PortalSchema>
  readonly outbox: Outbox
}

/** Writes to operators about requests for more calls that came within an hour of the last mail. */
export function createLimitRequestMails({ db, outbox }: LimitRequestMailsOptions) {
  return {
    async run(): Promise<void> {
      if (!(await isDigestDue(db))) return
      await db.transaction().execute(async (trx) => {
        await lockDigest(trx)
        await writeLimitRequestMails(trx, outbox)
      })
    },
  }
}

/** Writes each operator one mail about all requests that wait, at most one an hour, under the lock of the digest. */
export async function writeLimitRequestMails(
  trx: PortalTransaction,
  outbox: Outbox,
): Promise<void> {
  for (const { email, ...facts } of await takeDigest(trx)) {
    await outbox.post(trx, { kind: 'limit-requested', ...facts }, email)
  }
}
