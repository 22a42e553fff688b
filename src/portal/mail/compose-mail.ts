import type { SendMailOptions } from 'nodemailer'
import { MailRefused, type OutgoingMail } from './transport.ts'

/** A sender or recipient in parts: nodemailer would read several addresses, and groups, from a text. */
export interface MailAddress {
  readonly name: string
  readonly address: string
}

/** Reads MAIL_FROM, `address` or `Name <address>`, which the settings have checked. */
export function parseMailAddress(text: string): MailAddress {
  const match = /^([^<>]*)<([^<>]+)>$/.exec(text)
  const name = match?.[1]?.trim().replace(/^"(.*)"$/, '$1') ?? ''
  return { name, address: match?.[2] ?? text }
}

/**
 * A mail as nodemailer wants it: headers, text and HTML. Without X-Mailer,
 * files or addresses to fetch.
 *
 * @throws {MailRefused} for a recipient that is more than one plain address
 */
export function composeMail(mail: OutgoingMail, from: MailAddress): SendMailOptions {
  // Developers made by a command may have any address of one "@"; in SMTP and headers these would mean something.
  if (!/^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u.test(mail.to)) {
    throw new MailRefused()
  }
  return {
    from: { ...from, name: from.name || (mail.sender ?? '') },
    to: { name: '', address: mail.to },
    // Spelled out so that nothing is read from the headers.
    envelope: { from: from.address, to: [mail.to] },
    subject: mail.subject,
    messageId: mail.messageId,
    date: mail.createdAt,
    text: mail.text,
    html: mail.html,
    headers: {
      // RFC 3834: no out-of-office answers.
      'Auto-Submitted': 'auto-generated',
      ...(mail.optOutUrl === null
        ? {}
        : {
            'List-Unsubscribe': { prepared: true, value: `<${mail.optOutUrl}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
