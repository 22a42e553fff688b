import type { WaitingMail } from './sealed-mail.ts'

/** A mail as it leaves. */
export interface OutgoingMail extends WaitingMail {
  readonly id: number
  readonly to: string
  readonly createdAt: Date
}

/** Where mails leave to. */
export interface MailTransport {
  /**
   * Hands a mail over; the receiver is responsible for it when this resolves.
   *
   * @throws {MailRefused} when it never will be taken; anything else may go better later
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>
}

/** The recipient or the message is refused for good: another attempt would get the same answer. */
export class MailRefused extends Error {
  constructor(options: { cause?: unknown } = {}) {
    super('the mail is refused for good', options)
    this.name = 'MailRefused'
  }
}
