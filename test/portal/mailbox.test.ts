import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { createMailbox } from '../../src/portal/mail/mailbox.ts'
import { awaitMail } from '../support/mails.ts'
import { createPortalClient } from '../support/portal.ts'
import { runTollgate } from '../support/tollgate.ts'

const tollgate = await runTollgate(t)
const { dataDir, urls } = tollgate
const { host, port } = new URL(urls.portal)
const email = 'mailbox@example.com'
const asked = await createPortalClient(urls.portal).post('/api/developers', { email, name: 'Ada' })
if (asked.status !== 202) throw new Error(`answered ${asked.status}`)
const { token = '' } = await awaitMail(dataDir, { kind: 'sign-up', to: email })

/**
 * Statuses of the page, of its data, and whether the page knows of the mailbox, for a request with these fields as written.
 */
async function seenWith(fields: readonly string[], version = '1.1') {
  const answers = await Promise.all(
    ['/mailbox', '/api/mailbox', '/sign-up'].map(async (path) => {
      const socket = connect(Number(port), '127.0.0.1')
      const head = [
        `GET ${path} HTTP/${version}`,
        ...fields,
        'Accept: text/html',
        'Connection: close',
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      return text(socket)
    }),
  )
  const [page, data] = answers.map((answer) => Number(answer.slice(9, 12)))
  const knows = /"hasMailbox":(true|false)/.exec(answers[2] ?? '')?.[1] === 'true'
  const leaks = answers.some((answer) => answer.includes(token))
  return { page, data, knows, leaks }
}

const nothing = { page: 404, data: 404, knows: false, leaks: false }

t.test('on its own machine the portal shows its mails, newest first, links as paths', async (t) => {
  t.same(await seenWith([`Host: ${host}`]), { page: 200, data: 200, knows: true, leaks: true })
  const client = createPortalClient(urls.portal)
  await client.post('/api/password-resets', { email: 'unknown@example.com' })
  await client.post('/api/developers', { email: 'second@example.com', name: 'Bea' })
  await awaitMail(dataDir, { kind: 'sign-up', to: 'second@example.com' })
  const { body, headers } = await client.get('/api/mailbox')
  t.equal(headers['cache-control'], 'no-store')
  const own = ['second@example.com', email]
  // The demonstration application's key is announced separately.
  const mails = body.items.filter(({ to }: { to: string }) => own.includes(to))
  t.same(
    mails.map(({ to }: { to: string }) => to),
    own,
  )
  const [, mail] = mails
  t.match(mail, { subject: 'Confirm your address', at: /^\d{4}-.*Z$/ })
  t.same(
    mail.blocks.filter(({ href }: { href?: string }) => href !== undefined),
    [
      { text: 'Confirm the address', href: `/verify#token=${token}` },
      { text: 'Open the portal', href: '/' },
    ],
  )
})

t.test('each name and address of this machine opens it, whatever the port', async (t) => {
  for (const name of ['localhost', 'LocalHost:9000', '127.0.0.1', '127.3.2.1:9000', '[::1]:9000']) {
    const open = { page: 200, data: 200, knows: true, leaks: true }
    t.same(await seenWith([`Host: ${name}`]), open, name)
  }
})

t.test('to any other name in Host, as DNS rebinding sends, there is no mailbox', async (t) => {
  for (const name of [
    'portal.bank.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io:8081',
    'localhost.',
    '127.1',
    '0.0.0.0:8081',
    '192.168.1.5',
    '[::ffff:127.0.0.1]',
    '[::]',
    'evil@localhost',
    '',
  ]) {
    t.same(await seenWith([`Host: ${name}`]), nothing, name)
  }
})

t.test('a request that passed a proxy finds no mailbox', async (t) => {
  for (const field of [
    'Forwarded: for=192.0.2.1',
    'X-Forwarded-For: 127.0.0.1',
    'X-Forwarded-Host: localhost',
    'X-Forwarded-Proto: https',
    'x-forwarded: 1',
    'X-Original-Forwarded-For: 192.0.2.1',
    'X-Original-URL: /mailbox',
    'X-Real-IP: 127.0.0.1',
    'True-Client-IP: 192.0.2.1',
    'CF-Connecting-IP: 192.0.2.1',
    'X-Envoy-External-Address: 192.0.2.1',
    'Via: 1.1 proxy',
    'Forwarded:',
  ]) {
    t.same(await seenWith([`Host: ${host}`, field]), nothing, field)
  }
  t.same(await seenWith([`Host: ${host}`], '1.0'), nothing, 'HTTP/1.0, as nginx asks')
})

t.test('a peer that is not this machine finds no mailbox', async (t) => {
  const mailbox = createMailbox(readSettings({}), 'unused')
  const from = (remoteAddress: string) =>
    mailbox?.isOpenTo({
      socket: { remoteAddress },
      headers: { host: 'localhost' },
      headersDistinct: { host: ['localhost'] },
      httpVersion: '1.1',
    } as unknown as IncomingMessage)
  for (const own of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) t.ok(from(own), own)
  for (const other of ['192.0.2.1', '::ffff:10.0.0.1', 'fe80::1', '10.127.0.0.1', '']) {
    t.notOk(from(other), other)
  }
})

t.test('it exists only for a portal that is for this machine alone', async (t) => {
  const given = (env: Record<string, string>) => createMailbox(readSettings(env), 'unused')
  for (const env of [{}, { PORTAL_HOST: '::1' }, { PORTAL_PUBLIC_URL: 'http://localhost:8081' }]) {
    t.ok(given(env), JSON.stringify(env))
  }
  for (const env of [
    { DATABASE_URL: 'postgres://tollgate@127.0.0.1/tollgate' },
    { SMTP_URL: 'smtp://127.0.0.1' },
    { PORTAL_HOST: '0.0.0.0' },
    { PORTAL_HOST: '::' },
    { PORTAL_HOST: '192.168.1.5' },
    { PORTAL_PUBLIC_URL: 'https://developer.bank.example' },
    { TRUSTED_PROXIES: '127.0.0.1' },
  ]) {
    t.equal(given(env), undefined, JSON.stringify(env))
  }
})

t.test('a portal that listens on every address has no mailbox, over HTTP neither', async (t) => {
  const open = await runTollgate(t, {
    env: { PORTAL_HOST: '0.0.0.0', PORTAL_PUBLIC_URL: 'http://localhost:8081' },
  })
  const { port } = new URL(open.urls.portal)
  const portal = createPortalClient(`http://127.0.0.1:${port}`)
  for (const path of ['/mailbox', '/api/mailbox']) t.equal((await portal.get(path)).status, 404)
  t.match((await portal.get('/api/portal')).body, { writesMailsToFiles: true, hasMailbox: false })
})
