import { createTransport } from 'nodemailer'
import { isLoopback } from '../../platform/http/loopback.ts'
import { protocol } from '../../platform/http/tls.ts'
import { composeMail, type MailAddress } from './compose-mail.ts'
import { MailRefused, type MailTransport } from './transport.ts'

export interface SmtpTransportOptions {
  /** `smtp://` or `smtps://`, with host and perhaps port, user and password. Asked for each mail. */
  readonly url: () => string
  readonly from: MailAddress
  /** For answers and steps of the connection. (Default: 10 s) */
  readonly timeoutMs?: number
}

/**
 * Hands mails to a mail server, each over its own connection. Always verifies
 * certificates. `smtp://` uses STARTTLS if the server offers it, and requires
 * it towards another machine.
 */
export function createSmtpTransport(options: SmtpTransportOptions): MailTransport {
  const { from, timeoutMs = 10_000 } = options
  let address = options.url()
  let transporter = createTransporter(address, timeoutMs)
  return {
    async send(mail, signal) {
      if (address !== options.url()) {
        address = options.url()
        transporter = createTransporter(address, timeoutMs)
      }
      try {
        await transporter.sendMail({ ...composeMail(mail, from), signal })
      } catch (error) {
        throw isForGood(error) ? new MailRefused({ cause: error }) : error
      }
    },
  }
}

function createTransporter(address: string, timeoutMs: number) {
  const url = new URL(address)
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const user = decodeURIComponent(url.username)
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port)
  // Options are made here and not by nodemailer from the address, where a query could turn verification off.
  return createTransport({
    host,
    port,
    secure,
    // Mails carry links that set a password, so they stay secret on the way to another machine.
    requireTLS: !secure && !isLoopback(host),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    tls: { ...protocol, rejectUnauthorized: true },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** A refused recipient or message; a refused sender or password is for the operator to mend. */
function isForGood(error: unknown): boolean {
  if (!(error instanceof Error) || !('permanent' in error) || error.permanent !== true) return false
  const code = 'code' in error ? error.code : undefined
  const command = 'command' in error ? error.command : undefined
  return code === 'EMESSAGE' || (code === 'EENVELOPE' && command === 'RCPT TO')
}
