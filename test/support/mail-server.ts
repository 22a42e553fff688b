import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from './database.ts'
import { freePort } from './free-port.ts'
import { parseMail, type ReadMail } from './mails.ts'

/** A mail as it came in over SMTP. */
export interface TakenMail extends ReadMail {
  /** Sender in the envelope. */
  readonly from: string
  readonly recipients: readonly string[]
  /** Whether it came over TLS. */
  readonly isSecure: boolean
}

export interface MailServer {
  readonly port: number
  readonly taken: readonly TakenMail[]
  /** What it answers to the next recipients, `[code, text]`; undefined takes them. */
  refusal: readonly [number, string] | undefined
  start(): Promise<void>
  stop(): Promise<void>
}

/** A real SMTP server on a port of 127.0.0.1, not listening yet. */
export async function testMailServer(
  t: Test,
  options: SMTPServerOptions = { disabledCommands: ['AUTH', 'STARTTLS'] },
): Promise<MailServer> {
  const port = await freePort()
  const taken: TakenMail[] = []
  let server: SMTPServer | undefined

  async function stop(): Promise<void> {
    const running = server
    server = undefined
    if (running !== undefined) await new Promise<void>((resolve) => running.close(() => resolve()))
  }

  t.teardown(stop)
  const mailServer: MailServer = {
    port,
    taken,
    refusal: undefined,
    async start() {
      server = new SMTPServer({
        closeTimeout: 100,
        ...options,
        onRcptTo(_address, _session, done) {
          if (mailServer.refusal === undefined) return done()
          const [responseCode, text] = mailServer.refusal
          done(Object.assign(new Error(text), { responseCode }))
        },
        onData(stream, session, done) {
          const chunks: Buffer[] = []
          stream.on('data', (chunk) => chunks.push(chunk))
          stream.on('end', () => {
            const { mailFrom, rcptTo } = session.envelope
            taken.push({
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
  return mailServer
}
