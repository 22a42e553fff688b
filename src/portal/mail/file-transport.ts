import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from '../../platform/log/log.ts'
import { composeMail, type MailAddress } from './compose-mail.ts'
import type { MailTransport, OutgoingMail } from './transport.ts'

/** DATA_DIR does not take the mails. */
export class OutboxUnusable extends Error {
  constructor(folder: string, cause: unknown) {
    super(
      `without SMTP_URL every email becomes a file, and the folder ${folder} cannot be used; give SMTP_URL or a DATA_DIR that this process may write`,
      { cause },
    )
    this.name = 'OutboxUnusable'
  }
}

export interface FileTransportOptions {
  /** Made when missing, for this process's owner alone. */
  readonly folder: string
  readonly from: MailAddress
  readonly log: Pick<Logger, 'info'>
}

/**
 * One `.eml` for each mail, for installations without a mail server. Names are
 * `<when>-<kind>-<number>.eml`: they sort by time, and a mail written twice is
 * one file. Files appear whole.
 *
 * @throws {OutboxUnusable}
 */
export async function createFileTransport(options: FileTransportOptions): Promise<MailTransport> {
  const { folder, from, log } = options
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    const probe = join(folder, `.${randomBytes(6).toString('hex')}`)
    await writeFile(probe, '', { mode: 0o600, flag: 'wx' })
    await unlink(probe)
  } catch (error) {
    throw new OutboxUnusable(folder, error)
  }
  return {
    async send(mail) {
      const { text, html } = mail
      const { message } = await composer.sendMail({
        ...composeMail(mail, from),
        // Unencoded: developers copy the link from the file.
        text: { raw: plainPart('text/plain', text) },
        html: { raw: plainPart('text/html', html) },
      })
      if (!Buffer.isBuffer(message)) throw new Error('nodemailer composed no buffer')
      const file = fileNameOf(mail)
      const unfinished = join(folder, `.${file}.${randomBytes(6).toString('hex')}`)
      try {
        await writeFile(unfinished, message, { mode: 0o600, flag: 'wx' })
        await rename(unfinished, join(folder, file))
      } catch (error) {
        await unlink(unfinished).catch(() => undefined)
        throw error
      }
      log.info({ file }, 'mail written')
    },
  }
}

/** `20261120T141503123Z-sign-up-42.eml`. */
function fileNameOf({ id, kind, createdAt }: OutgoingMail): string {
  return `${createdAt.toISOString().replace(/[-:.]/g, '')}-${kind}-${id}.eml`
}

function plainPart(type: 'text/plain' | 'text/html', content: string): string {
  return `${plainHeader(type)}${content.replaceAll('\n', '\r\n')}`
}

/** What precedes the content of a part, including the empty line. */
export function plainHeader(type: 'text/plain' | 'text/html'): string {
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`
}
