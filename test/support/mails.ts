import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mails } from '../../src/portal/mail/open-mails.ts'
import { createOptOuts } from '../../src/portal/mail/opt-out.ts'
import { createOutbox } from '../../src/portal/mail/outbox.ts'
import { readHeader } from '../../src/portal/mail/read-header.ts'
import { testKeyring } from './keyring.ts'
import { until } from './until.ts'

/** A mail as its recipient sees it. */
export interface ReadMail {
  /** Without the path; undefined if it came over SMTP. */
  readonly file: string | undefined
  /** `sign-up`, `key-issued` … from the name of the file; empty over SMTP. */
  readonly kind: string
  readonly to: string
  readonly subject: string
  /** Unfolded, by name in small letters. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly html: string
  /** The value of `token` in its first link that has one. */
  readonly token: string | undefined
}

/** Mails that are not sent, for a portal without a mail server. */
export function testMails(portalUrl = 'https://portal.example'): Mails {
  const key = testKeyring(0)
  const optOuts = createOptOuts({ key })
  return {
    optOuts,
    outbox: createOutbox({ key, optOuts, portalUrl: () => portalUrl, onPost: () => undefined }),
  }
}

/** What a running Tollgate has written into its outbox, oldest first. */
export async function readMails(dataDir: string): Promise<ReadMail[]> {
  const folder = join(dataDir, 'outbox')
  const files = (await readdir(folder).catch(() => [])).filter((name) => /^[^.].*\.eml$/.test(name))
  const mails = files
    .sort(inOrder)
    .map(async (file) => parseMail(await readFile(join(folder, file), 'utf8'), file))
  return Promise.all(mails)
}

/** Waits for the newest mail of a kind to an address. @throws when none comes */
export async function awaitMail(
  dataDir: string,
  wanted: { readonly kind: string; readonly to: string; readonly after?: string | undefined },
): Promise<ReadMail> {
  const found: ReadMail[] = []
  await until(`the mail ${wanted.kind} to ${wanted.to} is there`, async () => {
    const mail = (await readMails(dataDir)).findLast(
      ({ kind, to, file = '' }) =>
        kind === wanted.kind &&
        to === wanted.to &&
        (wanted.after === undefined || inOrder(wanted.after, file) < 0),
    )
    if (mail !== undefined) found.push(mail)
    return mail !== undefined
  })
  const [mail] = found
  if (mail === undefined) throw new Error('until ends with a mail')
  return mail
}

/** By time, then by number. */
function inOrder(a: string, b: string): number {
  const [atA = '', atB = ''] = [a, b].map((name) => name.slice(0, 19))
  if (atA !== atB) return atA < atB ? -1 : 1
  const [numberA = 0, numberB = 0] = [a, b].map((name) => Number(/-(\d+)\.eml$/.exec(name)?.[1]))
  return numberA - numberB
}

/** Takes a message of two parts, text and HTML, apart. */
export function parseMail(source: string, file?: string): ReadMail {
  const { headers, body } = parsePart(source)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? ''
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => parsePart(part.replace(/^\r?\n/, '')))
  const partOf = (type: string): string => {
    const part = parts.find(({ headers }) => headers.get('content-type')?.startsWith(type))
    if (part === undefined) throw new Error(`a mail without ${type}`)
    return decode(part.body, part.headers.get('content-transfer-encoding') ?? '7bit')
  }
  const text = partOf('text/plain')
  return {
    file,
    kind: /^[0-9TZ]+-([a-z-]+)-\d+\.eml$/.exec(file ?? '')?.[1] ?? '',
    to: headers.get('to') ?? '',
    subject: readHeader(headers.get('subject') ?? ''),
    headers,
    text,
    html: partOf('text/html'),
    token: /#token=([A-Za-z0-9_-]+)/.exec(text)?.[1],
  }
}

function parsePart(source: string): { headers: Map<string, string>; body: string } {
  const end = /\r?\n\r?\n/.exec(source)
  if (end === null) throw new Error('a message without a body')
  const lines = source
    .slice(0, end.index)
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    if (headers.has(name)) throw new Error(`header ${name} twice`)
    headers.set(name, line.slice(colon + 1).trim())
  }
  return { headers, body: source.slice(end.index + end[0].length) }
}

function decode(body: string, encoding: string): string {
  const lines = body.replaceAll('\r\n', '\n')
  if (encoding === 'base64') return Buffer.from(lines, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return lines
  const bytes = lines
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_whole, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
