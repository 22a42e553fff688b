import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from './database.ts'
import { freePort } from './free-port.ts'
import { parseMail, type ReadMail } from './mails.ts'

/** A mail as it arrived over SMTP. */
export interface ReceivedMail extends ReadMail {
  /** Sender in the envelope. */
  readonly from: string
  readonly recipients: readonly string[]
  /** Whether it came over TLS. */
  readonly isSecure: boolean
}

export interface MailServer {
  readonly port: number
  readonly received: readonly ReceivedMail[]
  /** Answers the next recipients with `[code, text]`; undefined accepts them again. */
  refuseRecipients(reply: readonly [number, string] | undefined): void
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * A real SMTP server on 127.0.0.1 that does not listen until start(), so that tests can stop and restart it on the same
 * port.
 */
export async function testMailServer(
  t: Test,
  options: SMTPServerOptions = { disabledCommands: ['AUTH', 'STARTTLS'] },
): Promise<MailServer> {
  const port = await freePort()
  const received: ReceivedMail[] = []
  let server: SMTPServer | undefined
  let refusal: readonly [number, string] | undefined

  async function stop(): Promise<void> {
    const running = server
    server = undefined
    if (running !== undefined) await new Promise<void>((resolve) => running.close(() => resolve()))
  }

  t.teardown(stop)
  return {
    port,
    received,
    refuseRecipients(reply) {
      refusal = reply
    },
    async start() {
      server = new SMTPServer({
        closeTimeout: 100,
        ...options,
        onRcptTo(_address, _session, done) {
          if (refusal === undefined) return done()
          const [responseCode, text] = refusal
          done(Object.assign(new Error(text), { responseCode }))
        },
        onData(stream, session, done) {
          const chunks: Buffer[] = []
          stream.on('data', (chunk) => chunks.push(chunk))
          stream.on('end', () => {
            const { mailFrom, rcptTo } = session.envelope
            received.push({
              ...parseMail(Buffer.concat(chunks).toString('utf8')),
              from: mailFrom === false ? '' : mailFrom.address,
              recipients: rcptTo.map(({ address }) => address),
              isSecure: session.secure,
            })
            done()
          })
        },
      })
      server.on('error', () => undefined)
      server.listen(port, '127.0.0.1')
      await once(server.server, 'listening')
    },
    stop,
  }
}
