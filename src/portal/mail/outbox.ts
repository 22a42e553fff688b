import { randomUUID } from 'node:crypto'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Language } from '../../messages/language.ts'
import type { Keyring } from '../sealing/keyring.ts'
import { languageOfAddress } from '../stores/accounts/language-of-address.ts'
import { queueMail } from '../stores/mail/mail-queue.ts'
import type { PortalTransaction } from '../stores/schema.ts'
import { type Letter, renderLetter } from './letters.ts'
import type { OptOuts } from './opt-out.ts'
import { sealMail } from './sealed-mail.ts'

export interface Outbox {
  /**
   * Writes a letter in the caller's transaction: it is sent at least once if
   * the transaction commits, and never if it rolls back. Another job sends it
   * later; this costs two statements. It is in the language that the developer
   * with the address has chosen.
   *
   * @param to one address; undefined makes a decoy, which costs the same and is
   *   dropped, so that response times do not reveal whether an address is known
   * @param asked the language of the request, where no other is known (Default: English)
   */
  post(
    trx: PortalTransaction,
    letter: Letter,
    to: string | undefined,
    asked?: Language,
  ): Promise<void>
}

export interface OutboxOptions {
  /** `mails` of the portal's secrets. */
  readonly key: Keyring
  readonly optOuts: Pick<OptOuts, 'sign'>
  /** The portal's own origin: every link begins with it. */
  readonly portalUrl: () => string
  /** The current catalogue. (Default: the brand of Tollgate, and ids for names) */
  readonly catalogue?: (() => Catalogue) | undefined
  /** Called after every letter, before its transaction commits. */
  readonly onPost: () => void
}

/** The portal's mails on their way: rows of the table `mails`, sealed because they hold addresses and links. */
export function createOutbox({
  key,
  optOuts,
  portalUrl,
  catalogue,
  onPost,
}: OutboxOptions): Outbox {
  return {
    async post(trx, letter, to, asked = 'en') {
      const language = (await languageOfAddress(trx, to ?? '')) ?? asked
      const rendered = renderLetter(letter, {
        portalUrl: portalUrl(),
        optOuts,
        language,
        catalogue: catalogue?.(),
      })
      const sealed = sealMail(key, {
        ...rendered,
        kind: letter.kind,
        to: to ?? null,
        // Fixed for all attempts: a server that got the mail twice can recognise it.
        messageId: `<${randomUUID()}@${new URL(portalUrl()).hostname}>`,
      })
      await queueMail(trx, sealed)
      onPost()
    },
  }
}
